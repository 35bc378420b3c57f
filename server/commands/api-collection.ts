/** Writes the versioned calls as a Postman collection: `npm run api-collection -- https://pay.company.cn > xinhan.json`. */
import { allCalls } from '../contract/index.ts'
import { buildCollection } from '../contract/openapi/collection.ts'
import { buildOpenApiDocument } from '../contract/openapi/document.ts'
import { version } from '../shared/version.ts'

const [origin = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const document = buildOpenApiDocument(allCalls, { origin, version, https: origin.startsWith('https:'), production: true })
process.stdout.write(`${JSON.stringify(buildCollection(document), null, 2)}\n`)
