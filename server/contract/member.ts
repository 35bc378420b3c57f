/** People and departments. calls.md §4: power 3 and 2 within scope, 4 everywhere; power 1 reads. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { holders } from './who.ts'
import { id, listOf, memberStatuses, mobile, nothing, pageInput, words, wordsOrNone } from './words.ts'

const readers = holders('1', '2', '3')
const keepers = holders('2', '3')

const department = z.object({
  ID: id,
  NAME: z.string(),
  count: z.int(),
  PID: z.optional(z.nullable(id)),
  SOURCE: z.optional(z.string()),
  get child(): z.ZodMiniArray<typeof department> {
    return z.array(department)
  },
})
export type Department = z.infer<typeof department>

/** An identity card number: 18 characters; the checksum is examined by the server. */
const idCard = z.string().check(z.regex(/^\d{17}[\dXx]$/, '身份证号应为 18 位'))
const memberFields = {
  name: words(50, '请填写姓名'),
  mobile,
  employee_no: z.optional(wordsOrNone(30)),
  position: z.optional(wordsOrNone(50)),
  department_ids: z._default(z.array(id).check(z.maxLength(20)), []),
  entry_date: z.optional(z.nullable(z.iso.date())),
  id_card: z.optional(z.nullable(idCard)),
}

export const getDepartList = call('POST /api/Member/getDepartList', {
  does: 'The department tree within my scope, each with the number of its people',
  who: readers,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: nothing,
  output: z.object({ list: z.array(department) }),
  refuses: [],
})

export const member = z.object({
  ID: id,
  NAME: z.string(),
  MOBILE: z.string(),
  DEPARTMENTS: z.array(z.object({ ID: id, NAME: z.string() })),
  EMPLOYEE_NO: z.string(),
  POSITION: z.string(),
  ENTRY_DATE: z.nullable(z.string()),
  STATUS: z.enum(memberStatuses),
  SOURCE: z.string(),
  /** His phone was changed by somebody else: no slip is shown or sent before it is confirmed. */
  UNCONFIRMED: z.boolean(),
})

export const getMemberList = call('POST /api/Member/getMemberList', {
  does: 'People within my scope, by department, name, phone or status; who has left only where the status asks for it',
  who: readers,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({
    department_id: z.optional(id),
    with_children: z._default(z.boolean(), true),
    name: z.optional(wordsOrNone(50)),
    status: z.optional(z.enum(memberStatuses)),
    ...pageInput,
  }),
  output: listOf(member),
  refuses: ['not_found'],
})

export const getMemberInfo = call('POST /api/Member/getMemberInfo', {
  does: 'One person; the identity card masked',
  who: readers,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ id }),
  output: z.extend(member, {
    ID_CARD_MASKED: z.nullable(z.string()),
    JOINED: z.boolean(),
  }),
  refuses: ['not_found'],
})

export const insertMember = call('POST /api/Member/insertMember', {
  does: 'Add a person',
  who: keepers,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object(memberFields),
  output: z.object({ id }),
  refuses: ['not_found'],
})

export const editMemberInfo = call('POST /api/Member/editMemberInfo', {
  does: 'Change a person; only the fields that are given. A changed phone parts the person from the old account',
  who: keepers,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({
    id,
    name: z.optional(memberFields.name),
    mobile: z.optional(mobile),
    employee_no: memberFields.employee_no,
    position: memberFields.position,
    department_ids: z.optional(z.array(id).check(z.maxLength(20))),
    entry_date: memberFields.entry_date,
    id_card: memberFields.id_card,
  }),
  output: nothing,
  refuses: ['not_found'],
})

export const clearMember = call('POST /api/Member/clearMember', {
  does: 'Mark a person as left: slips stay, access ends at once',
  who: keepers,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ id }),
  output: nothing,
  refuses: ['not_found', 'wrong_state'],
})
