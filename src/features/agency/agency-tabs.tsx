import { requirePowerAnywhere } from '../../../server/contract/access/any-company.ts'
import { SectionTabs } from '../../components/page/section-tabs.tsx'
import { useCanAccess, useIsAgency } from '../../session.ts'

/** What an agency manages: the companies it serves, its own people and its administrators. Other companies have menu entries. */
export function AgencyTabs({ at }: { at: 'companies' | 'roster' | 'admins' }) {
  const canAccess = useCanAccess()
  const isAgency = useIsAgency()
  if (!isAgency) return null
  const hidden = [
    ...(canAccess(requirePowerAnywhere('1', '2')) ? [] : ['companies']),
    ...(canAccess(requirePowerAnywhere('1')) ? [] : ['admins']),
  ]
  return <SectionTabs section="agency" at={at} hidden={hidden} />
}
