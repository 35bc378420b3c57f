/** The versioned calls as a Postman collection (schema 2.1), which Bruno and Insomnia import as well. */
import type { buildOpenApiDocument } from './document.ts'
import { listVersionedOperations, type VersionedOperation } from './examples.ts'

function toRequest({ name, method, path, summary, parameters, isIdempotent, isUpload, requestExample }: VersionedOperation) {
  const query = parameters
    .filter(({ location }) => location === 'query')
    .map(({ name: key, example }) => ({ key, value: String(example ?? ''), disabled: example === undefined }))
  return {
    name,
    request: {
      method,
      description: summary,
      header: isIdempotent ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : [],
      url: {
        raw: `{{origin}}${path.replace(/\{(\w+)\}/g, ':$1')}`,
        host: ['{{origin}}'],
        path: path
          .slice(1)
          .split('/')
          .map((part) => part.replace(/^\{(\w+)\}$/, ':$1')),
        query,
        variable: parameters
          .filter(({ location }) => location === 'path')
          .map(({ name: key, example }) => ({ key, value: String(example ?? '') })),
      },
      ...(requestExample !== null && {
        body: { mode: 'raw', raw: JSON.stringify(requestExample, null, 2), options: { raw: { language: 'json' } } },
      }),
      ...(isUpload && { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] } }),
    },
  }
}

/** Builds the collection: one folder for each resource, with the key as the variable `key`. */
export function buildCollection(document: ReturnType<typeof buildOpenApiDocument>) {
  const groups = Map.groupBy(listVersionedOperations(document), ({ path }) => path.split('/')[3] ?? '')
  return {
    info: {
      name: document.info.title,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'origin', value: document.servers[0]?.url ?? '' },
      { key: 'key', value: '' },
    ],
    item: [...groups].map(([name, operations]) => ({ name, item: operations.map(toRequest) })),
  }
}
