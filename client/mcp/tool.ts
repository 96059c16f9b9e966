import type { Tool as McpTool } from '@modelcontextprotocol/server';

/** A tool for agents: an operation of the API, or the same operation of each collection. */
export interface Tool extends Pick<McpTool, 'name' | 'description' | 'inputSchema'> {
  /** What a call can do: hints for the program that asks its user before it calls a tool. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    /** The tools change one service, and nothing else. */
    readonly openWorldHint: false;
  };
  readonly request: {
    readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    /** Its parameters in braces are arguments of the tool: `/v1/{collection}/{id}`. */
    readonly path: string;
  };
}
