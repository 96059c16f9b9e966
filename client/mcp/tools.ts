// Generated from the contracts by "npx pm-api openapi". Do not edit.
import type { Tool } from './tool.ts';

export const version = '0.8.0';

export const tools: readonly Tool[] = [
  {
    "name": "list",
    "description": "Lists entities, the newest first, with the exact total of all that match.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "filters": {
          "type": "object",
          "additionalProperties": {
            "type": [
              "string",
              "number",
              "boolean"
            ]
          },
          "description": "By name: `field` or `field[operator]`, such as {\"priority[gte]\": \"high\", \"status[notIn]\": \"completed,archived\"}. Operators: ne, in, notIn, lt, lte, gt, gte, contains, startsWith, isNull, isEmpty, all."
        },
        "search": {
          "type": "string",
          "description": "Words: each must be the beginning of a word of the name or the description."
        },
        "sortBy": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Up to three fields."
        },
        "sortOrder": {
          "type": "array",
          "items": {
            "enum": [
              "asc",
              "desc"
            ]
          },
          "description": "One, or one for each field."
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100
        },
        "after": {
          "type": "string",
          "description": "Empty for the first page, then the `next` of each answer."
        },
        "fields": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Only these fields. By default all but `description`."
        },
        "expand": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Adds what references name: project, user, tags, organization."
        },
        "countBy": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Counts the values of these fields over all that match."
        },
        "sumBy": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Adds the numbers of these fields over all that match, and for each counted value."
        }
      },
      "required": [
        "collection"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "GET",
      "path": "/v1/{collection}"
    }
  },
  {
    "name": "read",
    "description": "Reads one entity.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "expand": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Adds what references name."
        }
      },
      "required": [
        "collection",
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "GET",
      "path": "/v1/{collection}/{id}"
    }
  },
  {
    "name": "delete",
    "description": "Deletes an entity. With an organization go its projects, with a project its tasks.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        }
      },
      "required": [
        "collection",
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "DELETE",
      "path": "/v1/{collection}/{id}"
    }
  },
  {
    "name": "restore",
    "description": "Restores an entity that was deleted in the last 30 days, with what its deletion removed.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "id": {
          "type": "string",
          "description": "Its id."
        }
      },
      "required": [
        "collection",
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/{collection}/{id}/restore"
    }
  },
  {
    "name": "listDeleted",
    "description": "Lists deleted entities that can be restored, the last deleted first: those that were deleted themselves, or with the filter `deletedWith` what the deletion of one entity removed.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "filters": {
          "type": "object",
          "additionalProperties": {
            "type": [
              "string",
              "number",
              "boolean"
            ]
          },
          "description": "By name: `field` or `field[operator]`, such as {\"priority[gte]\": \"high\", \"status[notIn]\": \"completed,archived\"}. Operators: ne, in, notIn, lt, lte, gt, gte, contains, startsWith, isNull, isEmpty, all."
        },
        "search": {
          "type": "string",
          "description": "Words: each must be the beginning of a word of the name or the description."
        },
        "sortBy": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Up to three fields."
        },
        "sortOrder": {
          "type": "array",
          "items": {
            "enum": [
              "asc",
              "desc"
            ]
          },
          "description": "One, or one for each field."
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100
        },
        "after": {
          "type": "string",
          "description": "Empty for the first page, then the `next` of each answer."
        },
        "fields": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Only these fields. By default all but `description`."
        }
      },
      "required": [
        "collection"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "GET",
      "path": "/v1/{collection}/deleted"
    }
  },
  {
    "name": "batch",
    "description": "Creates, updates and deletes up to 25 entities together: all operations are applied, or none.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "operations": {
          "type": "array",
          "minItems": 1,
          "maxItems": 25,
          "items": {
            "oneOf": [
              {
                "type": "object",
                "properties": {
                  "operation": {
                    "enum": [
                      "create"
                    ]
                  },
                  "body": {
                    "type": "object",
                    "description": "The fields, as of the tools that create and update."
                  }
                },
                "required": [
                  "operation",
                  "body"
                ]
              },
              {
                "type": "object",
                "properties": {
                  "operation": {
                    "enum": [
                      "update"
                    ]
                  },
                  "id": {
                    "type": "string",
                    "description": "Its id."
                  },
                  "version": {
                    "type": "string",
                    "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
                  },
                  "body": {
                    "type": "object",
                    "description": "The fields, as of the tools that create and update."
                  }
                },
                "required": [
                  "operation",
                  "id",
                  "body"
                ]
              },
              {
                "type": "object",
                "properties": {
                  "operation": {
                    "enum": [
                      "delete"
                    ]
                  },
                  "id": {
                    "type": "string",
                    "description": "Its id."
                  },
                  "version": {
                    "type": "string",
                    "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
                  }
                },
                "required": [
                  "operation",
                  "id"
                ]
              }
            ]
          },
          "description": "In their order."
        }
      },
      "required": [
        "collection",
        "operations"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": false,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/{collection}/batch"
    }
  },
  {
    "name": "changes",
    "description": "Lists what changed since a cursor: `data` has entities, `removed` ids. Without `since`, it begins with all entities.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "since": {
          "type": "string",
          "description": "The `cursor` of the last answer."
        },
        "filters": {
          "type": "object",
          "additionalProperties": {
            "type": [
              "string",
              "number",
              "boolean"
            ]
          },
          "description": "By name: `field` or `field[operator]`, such as {\"priority[gte]\": \"high\", \"status[notIn]\": \"completed,archived\"}. Operators: ne, in, notIn, lt, lte, gt, gte, contains, startsWith, isNull, isEmpty, all."
        },
        "fields": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Only these fields. By default all but `description`."
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100
        }
      },
      "required": [
        "collection"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "GET",
      "path": "/v1/{collection}/changes"
    }
  },
  {
    "name": "history",
    "description": "Lists who changed what of one entity, the newest change first.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "collection": {
          "enum": [
            "organizations",
            "projects",
            "users",
            "tasks",
            "tags"
          ]
        },
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100
        },
        "after": {
          "type": "string",
          "description": "The `cursor` of the page before."
        }
      },
      "required": [
        "collection",
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "GET",
      "path": "/v1/{collection}/{id}/changes"
    }
  },
  {
    "name": "archiveOrganization",
    "description": "Archive an organization and its projects",
    "inputSchema": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/organizations/{id}/archive"
    }
  },
  {
    "name": "createOrganization",
    "description": "Create an organization An organization owns projects, and can have users and tags.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        }
      },
      "required": [
        "name"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/organizations"
    }
  },
  {
    "name": "updateOrganization",
    "description": "Update an organization: fields that are left out keep their values",
    "inputSchema": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        },
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "PATCH",
      "path": "/v1/organizations/{id}"
    }
  },
  {
    "name": "cloneProject",
    "description": "Clone a project and its tasks",
    "inputSchema": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        },
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "include": {
          "type": "array",
          "items": {
            "type": "string",
            "enum": [
              "tasks"
            ]
          },
          "description": "What to copy with the project."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/projects/{id}/clone"
    }
  },
  {
    "name": "createProject",
    "description": "Create a project A project belongs to an organization and groups tasks.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "organizationId": {
          "type": "string",
          "description": "Id of the organization."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        },
        "startDate": {
          "type": [
            "string",
            "null"
          ],
          "format": "date",
          "description": "The first day."
        },
        "dueDate": {
          "type": [
            "string",
            "null"
          ],
          "format": "date",
          "description": "The last day."
        }
      },
      "required": [
        "name",
        "organizationId"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/projects"
    }
  },
  {
    "name": "updateProject",
    "description": "Update a project: fields that are left out keep their values",
    "inputSchema": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        },
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "organizationId": {
          "type": "string",
          "description": "Id of the organization."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        },
        "startDate": {
          "type": [
            "string",
            "null"
          ],
          "format": "date",
          "description": "The first day."
        },
        "dueDate": {
          "type": [
            "string",
            "null"
          ],
          "format": "date",
          "description": "The last day."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "PATCH",
      "path": "/v1/projects/{id}"
    }
  },
  {
    "name": "createUser",
    "description": "Create a user A user is a person to whom tasks can be assigned.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "email": {
          "type": [
            "string",
            "null"
          ],
          "format": "email",
          "description": "An e-mail address. Several users can share one."
        },
        "organizationId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the organization."
        },
        "subject": {
          "type": [
            "string",
            "null"
          ],
          "description": "Identifies the user to the issuer of tokens: the claim `sub`. It is unique in a tenant; otherwise the response is 409."
        }
      },
      "required": [
        "name"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/users"
    }
  },
  {
    "name": "updateUser",
    "description": "Update a user: fields that are left out keep their values",
    "inputSchema": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        },
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "email": {
          "type": [
            "string",
            "null"
          ],
          "format": "email",
          "description": "An e-mail address. Several users can share one."
        },
        "organizationId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the organization."
        },
        "subject": {
          "type": [
            "string",
            "null"
          ],
          "description": "Identifies the user to the issuer of tokens: the claim `sub`. It is unique in a tenant; otherwise the response is 409."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "PATCH",
      "path": "/v1/users/{id}"
    }
  },
  {
    "name": "createTask",
    "description": "Create a task A task can belong to a project, be assigned to a user, and have tags.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        },
        "priority": {
          "type": "string",
          "enum": [
            "none",
            "low",
            "medium",
            "high",
            "urgent"
          ],
          "description": "The urgency, from none to urgent."
        },
        "projectId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the project. Deleting the project also deletes the task."
        },
        "parentId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the task that it is a part of. Deleting that task also deletes this one."
        },
        "userId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the user to whom the task is assigned."
        },
        "dueDate": {
          "type": [
            "string",
            "null"
          ],
          "format": "date",
          "description": "The last day."
        },
        "tagIds": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Ids of the tags."
        },
        "position": {
          "type": [
            "string",
            "null"
          ],
          "description": "A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app."
        },
        "estimate": {
          "type": [
            "number",
            "null"
          ],
          "description": "The expected effort, in the unit of the team, with at most two decimals."
        }
      },
      "required": [
        "name"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/tasks"
    }
  },
  {
    "name": "updateTask",
    "description": "Update a task: fields that are left out keep their values",
    "inputSchema": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        },
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        },
        "priority": {
          "type": "string",
          "enum": [
            "none",
            "low",
            "medium",
            "high",
            "urgent"
          ],
          "description": "The urgency, from none to urgent."
        },
        "projectId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the project. Deleting the project also deletes the task."
        },
        "parentId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the task that it is a part of. Deleting that task also deletes this one."
        },
        "userId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the user to whom the task is assigned."
        },
        "dueDate": {
          "type": [
            "string",
            "null"
          ],
          "format": "date",
          "description": "The last day."
        },
        "tagIds": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Ids of the tags."
        },
        "position": {
          "type": [
            "string",
            "null"
          ],
          "description": "A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app."
        },
        "estimate": {
          "type": [
            "number",
            "null"
          ],
          "description": "The expected effort, in the unit of the team, with at most two decimals."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "PATCH",
      "path": "/v1/tasks/{id}"
    }
  },
  {
    "name": "createTag",
    "description": "Create a tag A tag labels tasks. You can filter tasks by their tags.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "color": {
          "type": "string",
          "description": "A color in the form #rrggbb."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        },
        "organizationId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the organization."
        }
      },
      "required": [
        "name"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false
    },
    "request": {
      "method": "POST",
      "path": "/v1/tags"
    }
  },
  {
    "name": "updateTag",
    "description": "Update a tag: fields that are left out keep their values",
    "inputSchema": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "version": {
          "type": "string",
          "description": "Its `version`, as you have read it: the call fails if somebody has changed it since."
        },
        "name": {
          "type": "string",
          "description": "The name. Leading and trailing white space is removed before the length is checked."
        },
        "status": {
          "type": "string",
          "description": "Any status. Common values are active, planned, completed and archived."
        },
        "color": {
          "type": "string",
          "description": "A color in the form #rrggbb."
        },
        "description": {
          "type": "string",
          "description": "Free text of one or more lines."
        },
        "organizationId": {
          "type": [
            "string",
            "null"
          ],
          "description": "Id of the organization."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": true,
      "idempotentHint": true,
      "openWorldHint": false
    },
    "request": {
      "method": "PATCH",
      "path": "/v1/tags/{id}"
    }
  }
];

/** The fields of each collection without the long texts. */
export const shortFields: Readonly<Record<string, readonly string[]>> = {"organizations":["id","name","status","createdAt","updatedAt"],"projects":["id","name","status","organizationId","startDate","dueDate","createdAt","updatedAt"],"users":["id","name","status","email","organizationId","subject","createdAt","updatedAt"],"tasks":["id","name","status","priority","projectId","parentId","userId","dueDate","tagIds","position","estimate","createdAt","updatedAt"],"tags":["id","name","status","color","organizationId","createdAt","updatedAt"]};
