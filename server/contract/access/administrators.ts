/** Administrators, their powers and scopes. calls.md §3. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineCall } from '../call.ts'
import { emptyObject, id, optionalText, pageParams, paginatedList } from '../shared/schemas.ts'

const power = z.enum(['1', '2', '3', '4'])
/** The departments an administrator manages, including their children; `all` is the whole company. */
export const scope = z.object({ all: z.boolean(), department_ids: z.array(id).check(z.maxLength(200)) })
/** The powers that can be granted: power 4 is transferred only by `transferSystemManager`. */
const powerGrant = z.array(z.enum(['1', '2', '3'])).check(z.minLength(1, '请选择至少一种权限'), z.maxLength(3))

export const getUserList = defineCall('POST /api/User/getUserList', {
  summary: 'Administrators with their powers and scope',
  access: requirePower('1'),
  idempotent: false,
  audit: 'none',
  input: z.object({ power: z.optional(power), name: z.optional(optionalText(50)), ...pageParams }),
  output: paginatedList(
    z.object({
      user_id: id,
      member_id: id,
      name: z.string(),
      mobile_masked: z.string(),
      power: z.array(power),
      scope: z.object({ all: z.boolean(), department_ids: z.array(id), departments: z.array(z.string()) }),
      /**
       * Number of batches this administrator owns. They keep them when powers are revoked, until the batches are
       * transferred.
       */
      batches: z.int(),
      is_current_user: z.boolean(),
    }),
  ),
  errors: [],
})

const powerHolder = z.object({ user_id: id, member_id: id, name: z.string(), mobile_masked: z.string() })

export const getRoleMemberList = defineCall('POST /api/User/getRoleMemberList', {
  summary: 'Who holds a power',
  access: requirePower('1'),
  idempotent: false,
  audit: 'none',
  input: z.object({ power }),
  output: z.object({ list: z.array(powerHolder) }),
  errors: [],
})

export const getManagerUserIdList = defineCall('POST /api/User/getManagerUserIdList', {
  summary: 'The ids of those who hold a power, for pickers',
  access: requirePower('1', '2'),
  idempotent: false,
  audit: 'none',
  input: z.object({ power }),
  output: z.object({ user_ids: z.array(id) }),
  errors: [],
})

export const getManagerMemberList = defineCall('POST /api/Member/getManagerMemberList', {
  summary:
    'People who may take over or be made an administrator: everybody on the roster but myself; who has never signed in cannot be chosen yet',
  access: requirePower('1', '2'),
  idempotent: false,
  audit: 'none',
  /** `manager` 2, as the specification sends it: candidates for payroll administration. */
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
  errors: [],
})

export const insertRole = defineCall('POST /api/User/insertRole', {
  summary: 'Give a person powers and a scope; powers he holds already stay, the scope becomes this one',
  access: requirePower('1'),
  idempotent: true,
  audit: 'change',
  input: z.object({ member_id: id, power: powerGrant, scope }),
  output: z.object({ user_id: id }),
  errors: ['not_found', 'wrong_state'],
})

export const addAmin = defineCall('POST /api/User/addAmin', {
  summary: "The same for several people at once, all or nobody (the path is the specification's)",
  access: requirePower('1'),
  idempotent: true,
  audit: 'change',
  input: z.object({
    member_ids: z.array(id).check(z.minLength(1, '请选择成员'), z.maxLength(50, '一次最多添加 50 人')),
    power: powerGrant,
    scope,
  }),
  output: z.object({ user_ids: z.array(id) }),
  errors: ['not_found', 'wrong_state'],
})

export const editUserScope = defineCall('POST /api/user/editUserScope', {
  summary: "Change an administrator's scope; ends his sessions when it becomes smaller",
  access: requirePower('1'),
  idempotent: false,
  audit: 'change',
  input: z.object({ user_id: id, scope }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const clearHrManager = defineCall('POST /api/User/clearHrManager', {
  summary: 'Take power 3 away; ends his sessions',
  access: requirePower('1'),
  idempotent: false,
  audit: 'change',
  input: z.object({ user_id: id }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const clearRole = defineCall('POST /api/User/clearRole', {
  summary:
    'Take one power away; ends his sessions. Nobody can take the last power 4 or 1 away, or power 4 at all but by handing it over',
  access: requirePower('1'),
  idempotent: false,
  audit: 'change',
  input: z.object({ user_id: id, power }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const endUserSessions = defineCall('POST /api/User/endUserSessions', {
  summary: 'Sign an administrator out everywhere in this company',
  access: requirePower('1'),
  idempotent: false,
  audit: 'change',
  input: z.object({ user_id: id }),
  output: z.object({ ended: z.int() }),
  errors: ['not_found'],
})
