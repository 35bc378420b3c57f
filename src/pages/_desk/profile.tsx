import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { setLogo } from '../../../server/contract/company.ts'
import { may } from '../../../server/contract/who.ts'
import { Devices } from '../../parts/account/devices.tsx'
import { Identity } from '../../parts/account/identity.tsx'
import { profileQuery } from '../../parts/account/queries.ts'
import { Security } from '../../parts/account/security.tsx'
import { CompanyMark } from '../../parts/picture/company-mark.tsx'
import { personOf, useRole } from '../../session.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

export const Route = createFileRoute('/_desk/profile')({
  staticData: { title: '我的账号', section: 'none', who: 'admin' },
  component: Profile,
})

function Profile() {
  const asked = useQuery(profileQuery)
  const me = useRole()
  return (
    <div className="ui-page account-page">
      <PageHead title="我的账号" />
      {asked.data ? (
        <>
          <Identity profile={asked.data} />
          {me && may(personOf(me), setLogo.who) && <CompanyMark corp={me.corp} />}
          <Security profile={asked.data} />
        </>
      ) : (
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
        </section>
      )}
      <Devices />
    </div>
  )
}
