import type { CallOutput } from '../../../../server/contract/call.ts'
import type { getCorpCombineInfo } from '../../../../server/contract/platform-binding/binding.ts'
import { HiddenName } from './hidden-name.tsx'
import type { PlatformUserView } from './use-platform-users.ts'

export type CombinePair = CallOutput<typeof getCorpCombineInfo>['conflicts'][number]
export type PlatformUser = CombinePair['platform_user']

type MemberSummary = Pick<PlatformUser, 'mobile' | 'employee_no' | 'departments'>
export const formatMemberSummary = ({ mobile, employee_no, departments }: MemberSummary): string =>
  [departments.join('、'), employee_no && `工号 ${employee_no}`, mobile].filter(Boolean).join(' · ')

/** A platform user: the name, or the element that the platform renders instead, and further details. */
export function PlatformUserName({ person: user, visible: view }: { person: PlatformUser; visible: PlatformUserView }) {
  const { name, platform_user_id, departments, department_ids } = user
  if (name || view.state === 'told')
    return (
      <>
        <strong>{name || platform_user_id}</strong>
        <span>{formatMemberSummary(user)}</span>
      </>
    )
  const isRendered = view.state === 'shown'
  return (
    <>
      <strong>
        <HiddenName view={view} nameType="userName" id={platform_user_id} />
      </strong>
      {isRendered && departments.length === 0 && department_ids.length > 0 && (
        <span>
          {department_ids.map((id, index) => (
            <span key={id}>
              {index > 0 && '、'}
              <HiddenName view={view} nameType="departmentName" id={id} />
            </span>
          ))}
        </span>
      )}
      {/* Without a rendered name, the account id distinguishes users. */}
      <span>{[formatMemberSummary(user), isRendered && `账号 ${platform_user_id}`].filter(Boolean).join(' · ')}</span>
    </>
  )
}
