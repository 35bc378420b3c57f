import type { OutputOf } from '../../../../server/contract/call.ts'
import type { getCorpCombineInfo } from '../../../../server/contract/people/binding.ts'
import { HiddenName } from './hidden-name.tsx'
import type { ColleagueView } from './use-colleagues.ts'

export type CombinePair = OutputOf<typeof getCorpCombineInfo>['conflicts'][number]
export type Colleague = CombinePair['platform_user']

type Side = Pick<Colleague, 'mobile' | 'employee_no' | 'departments'>
export const aboutOf = ({ mobile, employee_no, departments }: Side): string =>
  [departments.join('、'), employee_no && `工号 ${employee_no}`, mobile].filter(Boolean).join(' · ')

/** Somebody of the platform: his name, or what the platform draws in its place, and what is known of him. */
export function PersonThere({ person, shown }: { person: Colleague; shown: ColleagueView }) {
  const { name, platform_user_id, departments, department_ids } = person
  if (name || shown.state === 'told')
    return (
      <>
        <strong>{name || platform_user_id}</strong>
        <span>{aboutOf(person)}</span>
      </>
    )
  const isDrawn = shown.state === 'shown'
  return (
    <>
      <strong>
        <HiddenName shown={shown} of="userName" id={platform_user_id} />
      </strong>
      {isDrawn && departments.length === 0 && department_ids.length > 0 && (
        <span>
          {department_ids.map((id, at) => (
            <span key={id}>
              {at > 0 && '、'}
              <HiddenName shown={shown} of="departmentName" id={id} />
            </span>
          ))}
        </span>
      )}
      {/* Where a name is not drawn there is something to tell people by. */}
      <span>{[aboutOf(person), isDrawn && `账号 ${platform_user_id}`].filter(Boolean).join(' · ')}</span>
    </>
  )
}
