/** Identity rules: owners of a phone, members as a plan froze them, and who confirms a changed phone. */
import { describe, expect, it } from 'vitest'
import {
  type ApprovalApplication,
  canDecide,
  canSetApprovalStatus,
  type Decider,
} from '../../../server/modules/approvals/rules/decision.ts'
import { decidePhoneOwner, type PhoneOwnerEvidence } from '../../../server/modules/auth/phone/decide-phone-owner.ts'
import { type CurrentIdentity, getSendBlock, type IdentityDigests } from '../../../server/modules/payslips/rules/identity.ts'

describe('phone owner', () => {
  const anonymous: PhoneOwnerEvidence = {
    passwordProven: false,
    names: [],
    hasAccess: false,
    hasTerminatedAccess: false,
    pendingNames: [],
    terminatedSince: false,
    dormant: false,
    isUnused: false,
    isNamedOnly: false,
  }
  it.each([
    ['works for the company where they have worked', { names: ['张三'], hasAccess: true }, 'same'],
    ['has a second employer that uses the same name', { names: ['张三'], hasAccess: true, pendingNames: ['张三'] }, 'same'],
    ['has another name at a new employer', { names: ['张三'], hasAccess: true, pendingNames: ['李四'] }, 'ask'],
    ['has another name at one of two employers', { names: ['张三'], hasAccess: true, pendingNames: ['张三', '李四'] }, 'ask'],
    ['has left one of two employers', { names: ['张三'], hasAccess: true, terminatedSince: true }, 'ask'],
    [
      'has left one of two employers, and enters the password',
      { names: ['张三'], hasAccess: true, terminatedSince: true, passwordProven: true },
      'same',
    ],
    ['has left the only employer', { terminatedSince: true }, 'next'],
    ['has left the only employer, whose payslips they may read', { hasTerminatedAccess: true, terminatedSince: true }, 'silent'],
    [
      'has left the only employer, while another member is expected',
      { hasTerminatedAccess: true, terminatedSince: true, pendingNames: ['李四'] },
      'next',
    ],
    [
      'has left one of two employers, whose payslips they may read',
      { names: ['张三'], hasAccess: true, hasTerminatedAccess: true, terminatedSince: true },
      'ask',
    ],
    ['has left the only employer and joins another', { terminatedSince: true, pendingNames: ['张三'] }, 'next'],
    ['joins another employer with the password', { terminatedSince: true, pendingNames: ['李四'], passwordProven: true }, 'same'],
    ['has an account without access, and is expected', { pendingNames: ['李四'] }, 'next'],
    ['administers a company without a roster row, and has left another', { hasAccess: true, terminatedSince: true }, 'ask'],
    ['has an account without access', {}, 'same'],
    ['has just proven the phone, and is expected', { pendingNames: ['李四'], isUnused: true }, 'same'],
    [
      'was only named by an operator, and has a password from a link',
      { names: ['张三'], hasAccess: true, isNamedOnly: true },
      'ask',
    ],
    [
      'was only named by an operator, and shows the password',
      { hasAccess: true, isNamedOnly: true, passwordProven: true },
      'same',
    ],
    ['was inactive for a season', { names: ['张三'], hasAccess: true, dormant: true }, 'silent'],
    [
      'was inactive for a season, and enters the password',
      { names: ['张三'], hasAccess: true, dormant: true, passwordProven: true },
      'same',
    ],
    [
      'was inactive for a season, and is expected by a roster',
      { names: ['张三'], hasAccess: true, dormant: true, pendingNames: ['张三'] },
      'same',
    ],
    [
      'was inactive for a season, and has another name',
      { names: ['张三'], hasAccess: true, dormant: true, pendingNames: ['李四'] },
      'ask',
    ],
    ['was inactive for a season, and has left every employer', { terminatedSince: true, dormant: true }, 'next'],
    ['has had an account without access for a season', { dormant: true }, 'same'],
  ] as const)('%s', (_, change, result) => {
    expect(decidePhoneOwner({ ...anonymous, ...change })).toBe(result)
  })
})

describe('member frozen in a plan', () => {
  const frozen: IdentityDigests = { name: 'n', mobile: 'm', employee_no: 'e', id_card: '', account: 'a', platform: '', left: '' }
  const now: CurrentIdentity = { identity: frozen, hasProvenPhone: true, isPhoneUnconfirmed: false, hasOtherPhone: false }
  const bare: IdentityDigests = { ...frozen, account: '' }
  const as = (change: Partial<IdentityDigests>, more: Partial<CurrentIdentity> = {}): CurrentIdentity => ({
    ...now,
    identity: { ...frozen, ...change },
    ...more,
  })
  it.each([
    ['is unchanged', frozen, now, null],
    ['has another name', frozen, as({ name: 'x' }), ['other_name', 'name']],
    [
      'has another name and another phone',
      frozen,
      as({ name: 'x', mobile: 'y' }, { hasProvenPhone: false }),
      ['other_name', 'name mobile'],
    ],
    ['was given another phone', bare, as({ mobile: 'y', account: '' }, { hasProvenPhone: false }), ['changed', 'mobile']],
    ['changed the phone themselves', frozen, as({ mobile: 'y' }), null],
    [
      'changed the phone, but the roster kept the old one',
      frozen,
      as({}, { hasProvenPhone: false, hasOtherPhone: true }),
      ['other_phone', ''],
    ],
    ['has another account', frozen, as({ account: 'b' }), ['changed', 'account']],
    ['was unlinked from the account', frozen, as({ account: '' }), ['changed', 'account']],
    ['has joined meanwhile', bare, now, null],
    ['has another number', frozen, as({ employee_no: 'f' }), ['changed', 'employee_no']],
    ['lost the number', frozen, as({ employee_no: '' }), ['changed', 'employee_no']],
    ['got an ID card and a chat account for the first time', frozen, as({ id_card: 'c', platform: 'p' }), null],
    ['has another chat account', { ...frozen, platform: 'p' }, as({ platform: 'q' }), ['changed', 'platform']],
    ['is unconfirmed', frozen, as({}, { isPhoneUnconfirmed: true }), ['unconfirmed', '']],
    ['is unconfirmed and was never frozen', null, as({}, { isPhoneUnconfirmed: true }), ['unconfirmed', '']],
    ['was never frozen', null, now, null],
  ] as const)('%s', (_, before, present, requested) => {
    const stop = getSendBlock(before, present)
    expect(stop && [stop.reason, stop.changedFields.join(' ')]).toEqual(requested)
  })
})

describe('changed phone', () => {
  const one: ApprovalApplication = {
    kind: 'phone',
    applicant_id: 'x',
    status: 0,
    of_head: false,
    changed_by_current_admin: false,
  }
  const who = (...power: Decider['power']): Decider => ({ admin_id: 'me', power })
  it('confirms a changed phone by power 4, and by others only if the applicant has power 4', () => {
    for (const power of ['1', '2', '3'] as const) expect(canDecide(who(power), one)).toBe(false)
    expect(canDecide(who('4'), one)).toBe(true)
    expect([canDecide(who('1'), { ...one, of_head: true }), canDecide(who('2'), { ...one, of_head: true })]).toEqual([true, true])
    expect(canDecide(who('3'), { ...one, of_head: true })).toBe(false)
    expect(canDecide(who('2'), { ...one, kind: 'wage_transfer', of_head: true })).toBe(false)
  })
  it('does not let the applicant or the administrator who changed the phone confirm it', () => {
    expect(canSetApprovalStatus(who('4'), { ...one, applicant_id: 'me' }, 1)).toMatchObject({ code: 'not_permitted' })
    expect(canSetApprovalStatus(who('4'), { ...one, changed_by_current_admin: true }, 1)).toMatchObject({ code: 'not_permitted' })
    expect(canSetApprovalStatus(who('4'), { ...one, changed_by_current_admin: true }, 2)).toBe(true)
    expect(canSetApprovalStatus(who('4'), one, 1)).toBe(true)
    expect(canSetApprovalStatus(who('1', '3'), one, 1)).toMatchObject({ code: 'not_found' })
  })
})
