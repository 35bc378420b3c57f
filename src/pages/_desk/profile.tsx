import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import styles from '../../parts/account/account.module.css'
import { Devices } from '../../parts/account/devices.tsx'
import { Identity } from '../../parts/account/identity.tsx'
import { devicesQuery, profileQuery } from '../../parts/account/queries.ts'
import { Security } from '../../parts/account/security.tsx'
import { begin, first } from '../../routed/first.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'

export const Route = createFileRoute('/_desk/profile')({
  staticData: { title: '我的账号', section: 'none', who: 'admin' },
  loader: ({ route }) => first(route, () => [begin(profileQuery), begin(devicesQuery)]),
  component: Profile,
})

function Profile() {
  const asked = useQuery(profileQuery)
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHead title="我的账号" />
      {asked.data ? (
        <>
          <Identity profile={asked.data} />
          <Security profile={asked.data} />
        </>
      ) : (
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
        </section>
      )}
      {/* Below what is of another height when it has come. */}
      {asked.isFetched && <Devices />}
    </div>
  )
}
