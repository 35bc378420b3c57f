/** The defaults of a call definition, and what must be stated explicitly. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { canAccess } from '../../../server/contract/access.ts'
import { defineChange, defineRead } from '../../../server/contract/call.ts'
import { allCalls } from '../../../server/contract/index.ts'
import { bindHandlers, defineHandler } from '../../../server/http/handler.ts'

const spec = {
  summary: 'Something',
  input: z.object({}),
  output: z.object({}),
} as const

const getShape = (input: z.ZodMiniType): readonly string[] =>
  'shape' in input._zod.def ? Object.keys(input._zod.def.shape as object) : []

describe('call definition', () => {
  it.each([
    ['POST', {}, { rateLimit: 'normal', requestType: 'json', responseType: 'json' }],
    ['GET', {}, { rateLimit: 'normal', requestType: 'query', responseType: 'json' }],
    ['DELETE', {}, { rateLimit: 'normal', requestType: 'json', responseType: 'json' }],
    ['POST', { rateLimit: 'costly', requestType: 'file' }, { rateLimit: 'costly', requestType: 'file', responseType: 'json' }],
    ['GET', { responseType: 'bytes' }, { rateLimit: 'normal', requestType: 'query', responseType: 'bytes' }],
  ] as const)('transports %s %o as %o', (method, more, travels) => {
    expect(defineRead(`${method} /api/Room/doIt`, 'employee', { ...spec, ...more })).toMatchObject({
      ...travels,
      method,
      name: 'doIt',
    })
  })

  const guessable = /^(code|verify_code|password|old_password|token|\w+_token)$/
  const asking = allCalls.filter((one) => getShape(one.input).some((field) => guessable.test(field)))

  it('applies the rate limit of guesses to a call whose input can be guessed', () => {
    expect(asking.length).toBeGreaterThan(15)
    expect(asking.filter(({ rateLimit }) => rateLimit !== 'guess').map(({ route }) => route)).toEqual([])
  })
})

describe('credentials of the company', () => {
  const credential = /^(password|secret|token|aes_key)$/
  const setting = allCalls.filter(
    ({ access, input }) => typeof access === 'object' && getShape(input).some((field) => credential.test(field)),
  )

  it('are set by enterprise and system administrators only, so never from the seat of an agency', () => {
    expect(setting.map(({ name }) => name)).toEqual(expect.arrayContaining(['bindPlatform', 'mail']))
    for (const { access, route } of setting)
      for (const power of ['2', '3'] as const)
        expect(canAccess({ corp_role: 10, power: [power], is_employee: true }, access), route).toBe(false)
  })
})

describe('implement()', () => {
  const contract = {
    one: defineRead('POST /api/Room/one', 'employee', spec),
    two: defineChange('POST /api/Room/two', 'employee', spec),
    labels: ['no call'],
  }
  const one = defineHandler(contract.one, async () => ({}))
  const two = defineHandler(contract.two, async () => ({}))

  it('returns the handlers of every call', () => {
    expect(bindHandlers(contract, { one, two }).map(({ call: { route } }) => route)).toEqual([
      'POST /api/Room/one',
      'POST /api/Room/two',
    ])
  })
  it('does not compile without a handler', () => {
    // @ts-expect-error: `two` is missing
    expect(bindHandlers(contract, { one })).toHaveLength(1)
  })
  it('does not accept the handler of a similar call', () => {
    expect(() => bindHandlers(contract, { one: two, two: one })).toThrow('one is answered by POST /api/Room/two')
  })
})

describe('defineHandler', () => {
  const call = defineRead('POST /api/Room/one', 'employee', spec)

  it('gives a handler the context of its kind only', () => {
    const handlers = [
      // @ts-expect-error: a handler inside a transaction cannot call external services
      defineHandler(call, async ({ noTransaction }) => ({ noTransaction })),
      // @ts-expect-error: the same while access rights are locked
      defineHandler(call, { locks: 'access' }, async ({ noTransaction }) => ({ noTransaction })),
      // @ts-expect-error: an external handler has no open transaction
      defineHandler(call, { kind: 'external' }, async ({ db }) => ({ db })),
      // @ts-expect-error: only `locks: 'access'` locks the access rights
      defineHandler(call, async ({ accessLock }) => ({ accessLock })),
      // @ts-expect-error: an operator is no user of a company
      defineHandler(call, { kind: 'operator' }, async ({ currentUser }) => ({ currentUser })),
    ]
    expect(handlers.map(({ kind }) => kind)).toEqual(['company', 'company', 'external', 'company', 'operator'])
  })

  it('does not compile with options that exclude each other', () => {
    // @ts-expect-error: an external handler locks the access rights with `mutateAccess`
    expect(defineHandler(call, { kind: 'external', locks: 'access' }, async () => ({})).kind).toBe('external')
  })
})
