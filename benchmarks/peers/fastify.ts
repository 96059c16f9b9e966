import awsLambdaFastify from '@fastify/aws-lambda';
import fastify from 'fastify';
import { createProject, listProjects, messageOf, readProject, statusOf } from './operations.ts';

const app = fastify();
app.post('/v1/projects', async (request, reply) => {
  reply.code(201);
  return createProject(request.body);
});
app.get<{ Querystring: { page?: string; limit?: string } }>('/v1/projects', (request) => {
  const { page = '1', limit = '20' } = request.query;
  return listProjects(Number(page), Number(limit));
});
app.get<{ Params: { id: string } }>('/v1/projects/:id', (request) => readProject(request.params.id));
app.setErrorHandler((error, _request, reply) => {
  reply.code(statusOf(error)).send(messageOf(error));
});

export const handler = awsLambdaFastify(app);
