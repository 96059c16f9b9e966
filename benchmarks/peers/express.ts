import express, { type ErrorRequestHandler } from 'express';
import serverless from 'serverless-http';
import { createProject, listProjects, messageOf, readProject, statusOf } from './operations.ts';

const app = express();
app.disable('x-powered-by');
app.use(express.json());
app.post('/v1/projects', async (request, response) => {
  response.status(201).json(await createProject(request.body));
});
app.get('/v1/projects', async (request, response) => {
  const { page = '1', limit = '20' } = request.query;
  response.json(await listProjects(Number(page), Number(limit)));
});
app.get('/v1/projects/:id', async (request, response) => {
  response.json(await readProject(request.params.id));
});
app.use(((error, _request, response, _next) => {
  response.status(statusOf(error)).json(messageOf(error));
}) satisfies ErrorRequestHandler);

export const handler = serverless(app);
