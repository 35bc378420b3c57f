/**
 * Any company of a demo can bind any of the simulated platforms: its own roster is on each of them, so that a sync finds
 * everybody. One person has another name there, so that the merge has something to decide.
 */
import type { Simulator } from '../../platform/simulator/index.ts'
import { getProfile } from '../../platform/simulator/profiles.ts'
import { type ChatProvider, providerLabels } from '../contract/shared/providers.ts'
import type { Database } from '../database/database.ts'
import { listAllCompanyIds } from '../jobs/companies.ts'
import { getCompanyName, listBoundCompanies } from '../modules/company/index.ts'
import { departmentView, memberDepartmentView, memberView } from '../modules/directory/read-model.ts'
import { createNickname, savePlatformIdentities } from './platform.ts'

/** What the binding dialog asks for. */
export type DemoChatApp = {
  readonly corp_id: string
  readonly app_id: string
  readonly agent_id: string
  readonly secret: string
}

const createIds = (provider: ChatProvider, company_id: string) => getProfile(provider).createAppIds(company_id.slice(-12))

/** A roster of fewer people has nobody to spare. */
const minMembersForConflict = 3

export function createDemoChatCompanies(simulator: Simulator, database: Database, origin: string) {
  const findApp = (provider: ChatProvider, corp_id: string) => simulator.state.findApp(provider, { corp_id })

  /** Puts the company's present roster on the platform, and returns its application there. */
  async function open(company_id: string, provider: ChatProvider): Promise<DemoChatApp> {
    const ids = createIds(provider, company_id)
    const { corp_id } = ids
    const { name, departments, members } = await readRoster(database, company_id)
    const { rootDepartmentId, getDepartmentId, userIdPrefix, isLargestOrderFirst } = getProfile(provider)
    simulator.company(provider, corp_id).name = name
    const departmentIds = new Map(
      departments.map(({ id, parent_id }, at) => [id, parent_id ? getDepartmentId(at + 1) : rootDepartmentId]),
    )
    for (const { id, parent_id, position, name: departmentName } of departments)
      if (parent_id)
        simulator.saveDepartment({
          provider,
          corp_id,
          id: departmentIds.get(id) ?? rootDepartmentId,
          parent_id: departmentIds.get(parent_id) ?? rootDepartmentId,
          name: departmentName,
          order: isLargestOrderFirst ? departments.length - position : position,
        })
    const conflicting = members.length < minMembersForConflict ? undefined : members[Math.floor(members.length / 2)]
    const users = members.map((member) => {
      const isNew = member === conflicting || member.account_id === null
      const hint = isNew ? `第一次从${providerLabels[provider]}登录，会请您验证手机号` : '已关联手机号'
      return {
        provider,
        corp_id,
        user_id: `${userIdPrefix}${member.id.slice(-12)}`,
        union_id: `on_demo${member.id.slice(-12)}`,
        ...(member === conflicting ? createNickname(member) : { name: member.name, employee_no: member.employee_no ?? '' }),
        mobile: member.mobile ?? '',
        description: `员工 ${member.mobile ?? ''} · ${hint}`,
        ...(member.department_ids.length > 0
          ? { department_ids: member.department_ids.flatMap((id) => departmentIds.get(id) ?? []) }
          : {}),
        account_id: isNew ? null : member.account_id,
      }
    })
    for (const user of users) simulator.addUser(user)
    // Members who can sign in have done so on the platform before.
    await savePlatformIdentities(database, users, new Date())
    const app =
      findApp(provider, corp_id) ??
      simulator.addApp({ ...ids, provider, secret: `demo-secret-of-${provider}`, origin, kind: 'old' })
    return { ...ids, secret: app.secret }
  }

  return {
    open,
    /** The simulated platforms forget everything when the server stops: those that companies are bound to come back. */
    async reopenBound(): Promise<void> {
      for (const company_id of await listAllCompanyIds(database)) {
        const bound = await database.inCompany(company_id, (db) => listBoundCompanies({ db, company_id }))
        for (const { provider, corp_id } of bound)
          if (corp_id === createIds(provider, company_id).corp_id) await open(company_id, provider)
      }
    },
  }
}

const readRoster = (database: Database, company_id: string) =>
  database.inCompany(company_id, async (tx) => {
    const name = await getCompanyName({ db: tx, company_id })
    const departments = await tx
      .selectFrom(departmentView)
      .select(['id', 'parent_id', 'name', 'position'])
      .where('company_id', '=', company_id)
      .orderBy('id')
      .execute()
    const members = await tx
      .selectFrom(memberView)
      .select(['id', 'account_id', 'name', 'mobile', 'employee_no'])
      .where('company_id', '=', company_id)
      .where('status', '<>', 'left')
      .orderBy('id')
      .execute()
    const memberships = await tx
      .selectFrom(memberDepartmentView)
      .select(['member_id', 'department_id'])
      .where('company_id', '=', company_id)
      .execute()
    const byMember = Map.groupBy(memberships, ({ member_id }) => member_id)
    return {
      name,
      departments,
      members: members.map((member) => ({
        ...member,
        department_ids: (byMember.get(member.id) ?? []).map(({ department_id }) => department_id),
      })),
    }
  })
