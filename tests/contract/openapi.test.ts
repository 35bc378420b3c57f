/** Tests the API document with third-party programs: a linter, and two generators whose clients must compile. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { versionedExamples } from '../../server/contract/api-v1/examples.ts'
import { isVersionedPath } from '../../server/contract/call.ts'
import { allCalls, callNames } from '../../server/contract/index.ts'
import { buildOpenApiDocument } from '../../server/contract/openapi/document.ts'
import { toTemplatePath } from '../../server/contract/openapi/versioned.ts'
import { webhookPayloads } from '../../server/contract/webhooks/payload.ts'
import { webhookEvents } from '../../server/contract/webhooks/webhooks.ts'
import { buildWebhookBody } from '../../server/modules/webhooks/rules/webhook.ts'
import { compile, createScratchFolder, generateClient, generateTypes } from './generators/generate.ts'

const options = { origin: 'https://pay.company.cn', version: '1.2.3', https: true, production: true }
const document = buildOpenApiDocument(allCalls, options)
const inDevelopment = buildOpenApiDocument(allCalls, { ...options, https: false, production: false })
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

describe('the API document', () => {
  it.each([
    ['in production', document],
    ['in development', inDevelopment],
  ])('has no finding of the linter with its recommended rules %s', async (_where, source) => {
    const config = await createConfig({ extends: ['recommended'] })
    const findings = await lintFromString({ source: JSON.stringify(source), config })
    const messages = findings.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    expect([messages.length, messages.slice(0, 20)]).toEqual([0, []])
  })

  it('names every operation by the unique name of its call', () => {
    expect(callNames.size).toBe(allCalls.length)
    expect(new Set([...callNames.values()].map(({ name }) => name)).size).toBe(allCalls.length)
    for (const call of allCalls)
      expect(inDevelopment.paths[toTemplatePath(call)]?.[call.method.toLowerCase()]?.operationId).toBe(callNames.get(call)?.name)
  })

  it('omits the calls of operators in production, and marks them elsewhere', () => {
    const isOperators = (path: string) => path.startsWith('/api/ops/')
    expect(Object.keys(document.paths).filter(isOperators)).toEqual([])
    const marked = Object.entries(inDevelopment.paths).filter(([path]) => isOperators(path))
    expect(marked.length).toBeGreaterThan(0)
    for (const [path, methods] of marked)
      for (const operation of Object.values(methods)) expect(operation, path).toHaveProperty('x-internal', true)
  })

  it('states the cookies of an https server with their prefix', () => {
    expect(document.components.securitySchemes.cookie.name).toBe('__Host-sid')
    expect(inDevelopment.components.securitySchemes.cookie.name).toBe('sid')
  })

  it('requires a body wherever there is one, and offers Idempotency-Key exactly where the call is idempotent', () => {
    for (const operation of operations) if (operation.requestBody) expect(operation.requestBody.required).toBe(true)
    const withKey = operations.filter((operation) => JSON.stringify(operation.parameters ?? []).includes('IdempotencyKey'))
    const idempotent = allCalls.filter((call) => call.idempotent && callNames.get(call)?.subject !== 'operator')
    expect(withKey.map(({ operationId }) => operationId)).toEqual(idempotent.map((call) => callNames.get(call)?.name))
  })

  it('has a valid example of every versioned call', () => {
    const versioned = allCalls.filter(({ path }) => isVersionedPath(path))
    expect(Object.keys(versionedExamples).toSorted()).toEqual(versioned.map((call) => callNames.get(call)?.name).toSorted())
    for (const call of versioned) {
      const { request, response } = versionedExamples[callNames.get(call)?.name ?? ''] ?? {}
      expect(z.safeParse(call.input, request).error, call.route).toBeUndefined()
      expect(z.parse(call.output, response), call.route).toEqual(response)
    }
  })

  it('describes every webhook event as it is sent, and the page for receivers names it', () => {
    expect(Object.keys(document.webhooks)).toEqual([...webhookEvents, 'webhook.test'])
    const page = readFileSync(new URL('../../docs/integration/webhooks.md', import.meta.url), 'utf8')
    for (const event of Object.keys(document.webhooks)) expect(page).toContain(`| \`${event}\` |`)
    const example = JSON.parse(/^\{\n {2}"type"[^]*?^\}$/m.exec(page)?.[0] ?? '') as { type: string }
    const { schema: described } = webhookPayloads.find(({ event }) => event === example.type) ?? {}
    expect(described && z.parse(described, example)).toEqual(example)
    for (const { event, schema } of webhookPayloads) {
      const id = '0198c0de-0000-7000-8000-000000000000'
      const { shape: data } = schema.shape.data
      const of = (field: string) => (field in data ? id : null)
      const body = buildWebhookBody({
        event,
        at: new Date(0),
        salary_id: of('payslip_id'),
        batch_id: of('batch_id'),
        member_id: of('employee'),
        feedback_id: of('feedback_id'),
        batch_external_id: 'PAY-2026-11',
        employee_no: '1001',
        employee_external_id: 'HR-1001',
      })
      const strict = z.strictObject({ ...schema.shape, data: z.strictObject(data) })
      expect(z.safeParse(strict, JSON.parse(body)).error, event).toBeUndefined()
    }
  })
})

describe('a client generated from the API document', () => {
  it('by openapi-typescript compiles, and distinguishes success from errors', { timeout: 120_000 }, async () => {
    const folder = createScratchFolder()
    await generateTypes(inDevelopment, folder)
    writeFileSync(join(folder, 'use.ts'), useOfTypes)
    expect(await compile(folder)).toBe('')
  })

  it('by @hey-api/openapi-ts compiles, and names its functions after the calls', { timeout: 120_000 }, async () => {
    const folder = createScratchFolder()
    await generateClient(inDevelopment, folder)
    writeFileSync(join(folder, 'use.ts'), useOfClient)
    expect(await compile(folder)).toBe('')
  })
})

const useOfTypes = `
import type { components, operations, webhooks } from './types'
type Response = operations['getBatchList']['responses'][200]['content']['application/json']
export function countBatches(response: Response): number | string | undefined {
  // @ts-expect-error -- an error has no list
  response.data.list
  if (response.error_code === 0) return response.data.list.length
  // @ts-expect-error -- a code that the call does not return
  if (response.error_code === 100107) return 0
  return response.data.field
}
export const event: keyof webhooks = 'slip.viewed'
export type Named = [components['schemas']['Fen'], components['schemas']['Department']['child'], components['schemas']['Page']]
`

const useOfClient = `
import { getBatchList, getDepartList, saveWebhook } from './client'
export async function use() {
  const { data } = await getBatchList({ body: {} })
  if (data?.error_code === 0) return data.data.list.length
  await saveWebhook({ body: { url: 'https://hr.company.cn', events: ['slip.viewed'], active: true }, headers: { 'Idempotency-Key': '12345678' } })
  return getDepartList({ body: {} })
}
`
