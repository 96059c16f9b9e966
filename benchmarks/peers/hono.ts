import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { createProject, listProjects, messageOf, readProject, statusOf } from './operations.ts';

const app = new Hono()
  .post('/v1/projects', async (context) => context.json(await createProject(await context.req.json()), 201))
  .get('/v1/projects', async (context) => {
    const { page = '1', limit = '20' } = context.req.query();
    return context.json(await listProjects(Number(page), Number(limit)));
  })
  .get('/v1/projects/:id', async (context) => context.json(await readProject(context.req.param('id'))))
  .onError((error, context) => context.json(messageOf(error), statusOf(error)));

export const handler = handle(app);
