import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { PageHeader } from '../../components/page/page-header.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import styles from '../../features/auth/account/account.module.css'
import { SignedInDevices } from '../../features/auth/account/devices.tsx'
import { ProfileIdentity } from '../../features/auth/account/identity.tsx'
import { devicesQuery, profileQuery } from '../../features/auth/account/queries.ts'
import { SecuritySettings } from '../../features/auth/account/security.tsx'
import { prefetchPage, prefetchQuery } from '../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/profile')({
  staticData: { title: '我的账号', section: 'none', who: 'admin' },
  loader: ({ route }) => prefetchPage(route, () => [prefetchQuery(profileQuery), prefetchQuery(devicesQuery)]),
  component: ProfilePage,
})

function ProfilePage() {
  const profile = useQuery(profileQuery)
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHeader title="我的账号" />
      {profile.data ? (
        <>
          <ProfileIdentity profile={profile.data} />
          <SecuritySettings profile={profile.data} />
        </>
      ) : (
        <section className="ui-card">
          {profile.error ? <ErrorState error={profile.error} retry={() => void profile.refetch()} /> : <Skeleton rows={8} />}
        </section>
      )}
      {/* Rendered only after the profile above has its final height. */}
      {profile.isFetched && <SignedInDevices />}
    </div>
  )
}
