/** The contract as an OpenAPI 3.1 document. */
import type { Deprecation } from '../api-v1/deprecations.ts'
import { type Call, isVersionedPath } from '../call.ts'
import { callNames, type Subject } from '../index.ts'
import { addErrorSchemas, apiKeyErrorResponses, errorResponses } from './errors.ts'
import { buildOperation, type Operation } from './operation.ts'
import { ComponentSchemas } from './schemas.ts'
import { addProblemSchemas, buildVersionedOperation, rateLimitHeaders, toTemplatePath } from './versioned.ts'
import { buildWebhooks } from './webhooks.ts'

export type ApiDocumentOptions = {
  /** The public URL of the installation. */
  readonly origin: string
  /** The version of the program. */
  readonly version: string
  readonly https: boolean
  /** The public document of a production server omits the calls of its operators. */
  readonly production: boolean
  /** In place of the table of the contract: for tests. */
  readonly deprecations?: readonly Deprecation[]
}

const subjectDescriptions: Readonly<Record<Subject, string>> = {
  auth: 'Sign-in, sessions and the own account.',
  access: 'Administrators, their powers and scopes.',
  approvals: 'Approvals by a second administrator.',
  directory: 'Departments, members and imports of the roster.',
  invites: 'Invitations and join requests.',
  company: 'The company and its settings.',
  'platform-binding': 'Binding of chat platforms and matching of their users.',
  sheets: 'Wage sheets: upload, recognition, check, layout.',
  payslips: 'Send plans, sending, delivery, corrections and feedback.',
  employees: 'What employees see and do themselves.',
  agency: 'Agencies and the companies that they serve.',
  billing: 'Editions, orders and invoices.',
  operator: 'The operators of the server.',
  files: 'Uploaded files and downloads.',
  notifications: 'Notifications of administrators.',
  tax: 'Income tax, deductions and social insurance.',
  reports: 'Charts, comparisons and search.',
  webhooks: 'Webhook addresses and their deliveries.',
  retention: 'How long a company stores its data, and what was deleted.',
  'api-keys': 'Keys with which programs of a company sign in.',
  'api-v1': 'The versioned calls for programs with an API key: no envelope, problem details, cursors.',
}

/** A session consists of a token and a cookie; over https the name of a cookie has the prefix that binds it to the host. */
const buildSecuritySchemes = ({ https, production }: ApiDocumentOptions) => {
  const prefix = https ? '__Host-' : ''
  return {
    token: {
      type: 'apiKey',
      in: 'header',
      name: 'user-token',
      description: 'The token that a sign-in returns; valid only together with the cookie.',
    },
    cookie: { type: 'apiKey', in: 'cookie', name: `${prefix}sid`, description: 'The session cookie, set by a sign-in.' },
    xsrf: {
      type: 'apiKey',
      in: 'header',
      name: 'X-XSRF-TOKEN',
      description: 'The value of the cookie XSRF-TOKEN, required by every method except GET.',
    },
    device: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}did`,
      description: 'Identifies the browser that requested a code by SMS; set by getVerifyCode.',
    },
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API key `xh_live_…`, without cookie and XSRF token. A key may make the calls of its scopes (`x-scopes`). Errors have their HTTP status; RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset state the limit.',
    },
    ...(!production && {
      operatorCookie: {
        type: 'apiKey',
        in: 'cookie',
        name: `${prefix}ops`,
        description: 'The session cookie of an operator; XSRF comes from the cookie OPS-XSRF-TOKEN.',
      },
    }),
  }
}

export function buildOpenApiDocument(calls: readonly Call[], options: ApiDocumentOptions) {
  const { origin, version, production } = options
  const components = new ComponentSchemas()
  addErrorSchemas(components)
  const published = calls.filter((call) => !production || callNames.get(call)?.subject !== 'operator')
  addProblemSchemas(
    components,
    published.filter(({ path }) => isVersionedPath(path)),
  )
  const paths: Record<string, Record<string, Operation>> = {}
  for (const call of published)
    (paths[toTemplatePath(call)] ??= {})[call.method.toLowerCase()] = isVersionedPath(call.path)
      ? buildVersionedOperation(call, components, options.deprecations)
      : buildOperation(call, components)
  const webhooks = buildWebhooks(components)
  const subjects = new Set(published.map((call) => callNames.get(call)?.subject))
  return {
    openapi: '3.1.0',
    info: {
      title: '薪函 Xinhan',
      version,
      description:
        'Programs use the calls below /api/v1 with an API key: responses are the data itself, errors are problem details (RFC 9457) with their HTTP status. Everywhere else a JSON response is the envelope {error_code, error_msg, errmsg, data}; error_code 0 is success. Paths match without regard to case.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: origin }],
    tags: Object.entries(subjectDescriptions)
      .filter(([name]) => subjects.has(name as Subject))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: buildSecuritySchemes(options),
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'A repeated key returns the first response and does nothing twice, for 48 hours. The same key with another body is refused.',
          schema: { type: 'string', pattern: '^[\\w.-]{8,80}$' },
        },
      },
      headers: {
        RequestId: { description: 'The id of the request, for questions to the operator.', schema: { type: 'string' } },
        ...rateLimitHeaders,
      },
      responses: Object.fromEntries([...Object.values(errorResponses), ...Object.values(apiKeyErrorResponses)]),
      schemas: components.list(),
    },
  }
}
