import 'reflect-metadata';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  Module,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import serverless from 'serverless-http';
import { createProject, listProjects, messageOf, readProject, statusOf } from './operations.ts';

@Controller('v1/projects')
class ProjectsController {
  @Post()
  create(@Body() body: unknown): Promise<unknown> {
    return createProject(body);
  }

  @Get()
  list(@Query('page') page = '1', @Query('limit') limit = '20'): Promise<unknown> {
    return listProjects(Number(page), Number(limit));
  }

  @Get(':id')
  read(@Param('id') id: string): Promise<unknown> {
    return readProject(id);
  }
}

@Module({ controllers: [ProjectsController] })
class ProjectsModule {}

@Catch()
class AnyFailure implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(statusOf(error)).json(messageOf(error));
  }
}

async function start() {
  const app = await NestFactory.create(ProjectsModule, new ExpressAdapter(), { logger: false });
  app.useGlobalFilters(new AnyFailure());
  await app.init();
  return serverless(app.getHttpAdapter().getInstance());
}

let started: ReturnType<typeof start> | undefined;

export const handler = async (event: object, context: object): Promise<object> => {
  started ??= start();
  return (await started)(event, context);
};
