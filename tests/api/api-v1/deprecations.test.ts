/** What ends says so: in the headers of its responses, in the API document and on the reference page. */
import { describe, expect, it } from 'vitest'
import { deprecations } from '../../../server/contract/api-v1/deprecations.ts'
import { getPayslip, listPayslips } from '../../../server/contract/api-v1/payslips.ts'
import { allCalls } from '../../../server/contract/index.ts'
import { buildOpenApiDocument } from '../../../server/contract/openapi/document.ts'
import { renderApiReference } from '../../../server/web/api-reference.ts'
import { createProgram } from '../../support/callers/program.ts'
import { demo } from '../../support/demo.ts'

const ending = [
  {
    call: listPayslips,
    field: 'has_feedback',
    deprecated_on: '2026-11-01',
    ends_on: '2027-12-01',
    replacement: 'Use the webhook slip.feedback.',
  },
  {
    call: getPayslip,
    deprecated_on: '2026-11-02',
    ends_on: '2027-12-02',
    replacement: 'Use listPayslips.',
  },
  {
    call: getPayslip,
    field: 'version',
    deprecated_on: '2026-10-01',
    ends_on: '2028-01-01',
    replacement: 'Nothing replaces it.',
  },
] as const
const { world, corp } = demo({ own: { deprecations: ending } })

describe('a deprecated call', () => {
  it('has Deprecation, Sunset and Link in every response, errors included; other calls have none', async () => {
    const session = await world.signIn(await corp.person({ power: ['4'] }))
    const { key } = await createProgram(world, session)
    const get = (url: string, headers = { authorization: `Bearer ${key}` }) =>
      world.product.app.inject({ method: 'GET', url, headers })
    const pick = ({ headers }: Awaited<ReturnType<typeof get>>) => [headers.deprecation, headers.sunset, headers.link]
    // 2026-11-01T00:00+08:00, as RFC 9745 writes it; RFC 8594 wants the date of HTTP.
    expect(pick(await get(`/api/v1/payslips?employee_id=${corp.company_id}`))).toEqual([
      '@1793462400',
      'Tue, 30 Nov 2027 16:00:00 GMT',
      '</api/reference#listPayslips>; rel="deprecation"; type="text/html"',
    ])
    // Of two entries, the earlier day of each.
    const missing = await get(`/api/v1/payslips/${corp.company_id}`)
    expect([missing.statusCode, ...pick(missing)]).toEqual([
      404,
      '@1790784000',
      'Wed, 01 Dec 2027 16:00:00 GMT',
      '</api/reference#getPayslip>; rel="deprecation"; type="text/html"',
    ])
    const refused = await get(`/api/v1/payslips/${corp.company_id}`, { authorization: 'Bearer xh_live_none' })
    expect([refused.statusCode, refused.headers.deprecation]).toEqual([401, '@1790784000'])
    expect(pick(await get('/api/v1/employees'))).toEqual([undefined, undefined, undefined])
  })

  it('is marked in the API document and on the reference page: the call, or the field', () => {
    const options = { origin: 'https://pay.company.cn', version: '1.2.3', https: true, production: true }
    const document = buildOpenApiDocument(allCalls, { ...options, deprecations: ending })
    const find = (path: string) => document.paths[path]?.get
    expect([find('/api/v1/payslips')?.deprecated, find('/api/v1/payslips/{payslip_id}')?.deprecated]).toEqual([undefined, true])
    const list = JSON.stringify(find('/api/v1/payslips')?.responses['200'])
    expect(list.match(/"deprecated":true/g)).toHaveLength(1)
    expect(list).toMatch(/"has_feedback":\{[^{}]*"deprecated":true\}/)
    expect(list).toContain('"Sunset"')
    expect(find('/api/v1/payslips')?.description).toContain('ends on 2027-12-01: has_feedback. Use the webhook slip.feedback.')
    expect(renderApiReference(document)).toContain('ends on 2027-12-02: this call. Use listPayslips.')
    expect(find('/api/v1/employees')?.description).not.toContain('Deprecated')
  })
})

describe('the table of the contract', () => {
  it('gives every entry at least twelve months', () => {
    for (const { deprecated_on, ends_on } of [...deprecations, ...ending]) {
      const [year, ...rest] = deprecated_on.split('-')
      expect(ends_on >= [Number(year) + 1, ...rest].join('-'), `${deprecated_on} to ${ends_on}`).toBe(true)
    }
  })
})
