/** Administrators, their powers and scopes. calls.md §3. */
import * as z from 'zod/mini'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, id, optionalText, pageParams, paginatedList } from '../shared/schemas.ts'
import { requirePowerAnywhere } from './any-company.ts'

const power = z.enum(['1', '2', '3', '4'])
/** The departments an administrator manages, including their children; `all` is the whole company. */
export const scope = z.object({ all: z.boolean(), department_ids: z.array(id).check(z.maxLength(200)) })
/** The powers that can be granted: power 4 is transferred only by `transferSystemManager`. */
const powerGrant = z.array(z.enum(['1', '2', '3'])).check(z.minLength(1, '请选择至少一种权限'), z.maxLength(3))

export const getUserList = defineRead('POST /api/User/getUserList', requirePowerAnywhere('1'), {
  summary: 'Lists the administrators with their powers and scope.',
  input: z.object({ power: z.optional(power), name: z.optional(optionalText(50)), ...pageParams }),
  output: paginatedList(
    z.object({
      user_id: id,
      member_id: id,
      name: z.string(),
      mobile_masked: z.string(),
      power: z.array(power),
      scope: z.object({ all: z.boolean(), department_ids: z.array(id), departments: z.array(z.string()) }),
      /** Number of batches this administrator owns. They keep them when powers are revoked, until the batches are transferred. */
      batches: z.int(),
      is_current_user: z.boolean(),
    }),
  ),
})

const powerHolder = z.object({ user_id: id, member_id: id, name: z.string(), mobile_masked: z.string() })

export const getRoleMemberList = defineRead('POST /api/User/getRoleMemberList', requirePowerAnywhere('1'), {
  summary: 'Lists the administrators who hold a power.',
  input: z.object({ power }),
  output: z.object({ list: z.array(powerHolder) }),
})

export const getManagerUserIdList = defineRead('POST /api/User/getManagerUserIdList', requirePowerAnywhere('1', '2'), {
  summary: 'Returns the ids of the administrators who hold a power, for pickers.',
  input: z.object({ power }),
  output: z.object({ user_ids: z.array(id) }),
})

export const getManagerMemberList = defineRead('POST /api/Member/getManagerMemberList', requirePowerAnywhere('1', '2'), {
  summary:
    'Lists the members who may become or replace an administrator: the whole roster except the caller. Members who have never signed in cannot be selected yet.',
  /** `manager` 2, as the specification defines it: candidates for payroll administration. */
  input: z.object({ manager: z.optional(z.literal(2)), name: z.optional(optionalText(50)), ...pageParams }),
  output: z.extend(
    paginatedList(
      z.object({
        ID: id,
        /** The administrator's id; null for members who are not administrators. */
        USER_ID: z.nullable(id),
        NAME: z.string(),
        /** Masked. */
        MOBILE: z.string(),
        DEPARTMENTS: z.array(z.string()),
        POWER: z.array(power),
        /** The member has signed in with a code, so granted powers reach exactly this person. */
        JOINED: z.boolean(),
      }),
    ),
    { total_count: z.int() },
  ),
})

export const insertRole = defineChange('POST /api/User/insertRole', requirePowerAnywhere('1'), {
  summary: 'Grants powers and a scope to a member. Powers already held stay; the scope is replaced.',
  input: z.object({ member_id: id, power: powerGrant, scope }),
  output: z.object({ user_id: id }),
  errors: ['not_found', 'wrong_state'],
})

export const addAmin = defineChange('POST /api/User/addAmin', requirePowerAnywhere('1'), {
  summary: "Grants powers and a scope to several members at once, all or none (the path is the specification's).",
  input: z.object({
    member_ids: z.array(id).check(z.minLength(1, '请选择成员'), z.maxLength(50, '一次最多添加 50 人')),
    power: powerGrant,
    scope,
  }),
  output: z.object({ user_ids: z.array(id) }),
  errors: ['not_found', 'wrong_state'],
})

export const editUserScope = defineChange('POST /api/user/editUserScope', requirePowerAnywhere('1'), {
  summary: "Changes an administrator's scope. Ends the administrator's sessions when the scope becomes smaller.",
  idempotent: false,
  input: z.object({ user_id: id, scope }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const clearHrManager = defineChange('POST /api/User/clearHrManager', requirePowerAnywhere('1'), {
  summary: "Removes power 3 and ends the administrator's sessions.",
  idempotent: false,
  input: z.object({ user_id: id }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const clearRole = defineChange('POST /api/User/clearRole', requirePowerAnywhere('1'), {
  summary:
    "Removes one power and ends the administrator's sessions. The last power 4 or 1 cannot be removed, and power 4 can only be transferred.",
  idempotent: false,
  input: z.object({ user_id: id, power }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const endUserSessions = defineChange('POST /api/User/endUserSessions', requirePowerAnywhere('1'), {
  summary: 'Ends all sessions of an administrator in this company.',
  idempotent: false,
  input: z.object({ user_id: id }),
  output: z.object({ ended: z.int() }),
  errors: ['not_found'],
})
