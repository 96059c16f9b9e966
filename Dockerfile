# Runs the service as `npm start` does, for those who prefer a container:
#   docker build -t project-management .
#   docker run --rm -p 127.0.0.1:3000:3000 -v project-management:/data project-management
FROM node:24-slim
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN mkdir /data && chown node:node /data
USER node
# Requests come from outside the container. The port is published on this machine only, by the command above.
ENV HOST=0.0.0.0 DATABASE_FILE=/data/database.sqlite
VOLUME /data
EXPOSE 3000
HEALTHCHECK CMD ["node", "--eval", "fetch('http://localhost:3000/v1/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without npm, so that the signal to stop reaches the service.
CMD ["node", "--import", "tsx", "bin/start.ts"]
