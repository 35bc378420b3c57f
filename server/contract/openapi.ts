/** The contract as an OpenAPI 3.1 document. */
import * as z from 'zod/mini'
import type { Call } from './call.ts'
import { always, refusals } from './refusals.ts'
import type { Who } from './who.ts'

const whoWords = (who: Who): string =>
  typeof who === 'string'
    ? who
    : `powers ${who.powers.join(', ')} of ${who.corp === 'any' ? 'any company' : `a ${who.corp} company`} (4 holds all)`

const schemaOf = (schema: z.ZodMiniType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io }) as Record<string, unknown>
  return rest
}

export function openapi(calls: readonly Call[]) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const call of calls) {
    const input = schemaOf(call.input, 'input') as { properties?: Record<string, unknown>; required?: string[] }
    const codes = [...new Set([...call.refuses, ...always])]
    const envelope = {
      type: 'object',
      required: ['error_code', 'error_msg', 'errmsg', 'data'],
      properties: {
        error_code: { type: 'integer', description: `0, or ${codes.map((name) => `${refusals[name].code} ${name}`).join(', ')}` },
        error_msg: { type: 'string' },
        errmsg: { type: 'string' },
        data: schemaOf(call.output, 'output'),
      },
    }
    const body =
      call.takes === 'file'
        ? {
            content: {
              'multipart/form-data': {
                schema: { ...input, properties: { ...input.properties, file: { type: 'string', format: 'binary' } } },
              },
            },
          }
        : { content: { 'application/json': { schema: input } } }
    ;(paths[call.path] ??= {})[call.method.toLowerCase()] = {
      operationId: `${call.name}_${call.method.toLowerCase()}${call.path.replaceAll('/', '_')}`,
      summary: call.does,
      description: `Who: ${whoWords(call.who)}. ${call.once ? 'Honours Idempotency-Key. ' : ''}Evidence: ${call.audit}. Rate: ${call.rate}.`,
      tags: [call.path.split('/')[2]?.toLowerCase() ?? 'api'],
      ...(call.takes === 'query'
        ? {
            parameters: Object.entries(input.properties ?? {}).map(([name, schema]) => ({
              name,
              in: 'query',
              required: input.required?.includes(name) ?? false,
              schema,
            })),
          }
        : { requestBody: body }),
      responses:
        call.gives === 'redirect'
          ? { 302: { description: 'Where the browser goes on, whatever comes' } }
          : {
              200: {
                description: 'The envelope; every outcome that a user can cause',
                content:
                  call.gives === 'bytes' ? { 'application/octet-stream': {} } : { 'application/json': { schema: envelope } },
              },
            },
      ...(call.who === 'public' ? { security: [] } : {}),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: '薪函 Xinhan',
      version: '1',
      description: 'Every answer is the envelope {error_code, error_msg, errmsg, data}. Paths match without regard to case.',
    },
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'user-token' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
      },
    },
    security: [{ token: [], cookie: [] }],
    paths,
  }
}
