import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { useCallback } from 'react'
import { getPlatformInfo } from '../../../../server/contract/platform-binding/binding.ts'
import { providers } from '../../../../server/contract/shared/providers.ts'
import { callQuery, queryClient } from '../../../api.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SectionTabs } from '../../../components/page/section-tabs.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { BindingCard } from '../../../features/platform-binding/binding-card.tsx'
import { CombineMembers } from '../../../features/platform-binding/combine/combine.tsx'
import { BindingHistory } from '../../../features/platform-binding/history.tsx'
import { PlatformSelection } from '../../../features/platform-binding/select-platform.tsx'
import { SyncCard } from '../../../features/platform-binding/sync.tsx'
import { chatConsoleQuery } from '../../../features/platform-binding/use-chat-console.ts'
import { useCompleteInstall } from '../../../features/platform-binding/use-complete-install.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'
import { useIsAgency } from '../../../session.ts'

export const Route = createFileRoute('/_desk/_company/companyThird')({
  staticData: { title: '办公平台', section: 'message', who: { powers: ['1'], companyType: 'any' } },
  loader: ({ route }) =>
    prefetchPage(route, () => {
      void prefetchQuery(callQuery(getPlatformInfo, {}))
      for (const provider of providers) void queryClient.prefetchQuery(chatConsoleQuery(provider))
    }),
  component: CompanyThird,
})

/** The company's chat platform: binding, synchronization, matching of members, and unbinding. */
function CompanyThird() {
  const platformInfo = useQuery(callQuery(getPlatformInfo, {}))
  const { refetch, data: info } = platformInfo
  const refresh = useCallback(() => void refetch(), [refetch])
  // An agency's menu has an entry for its chat platform.
  const isAgency = useIsAgency()
  const isInstalling = useCompleteInstall(refresh)
  return (
    <div className="ui-page">
      {!isAgency && <SectionTabs section="company" at="platform" />}
      <PageHeader
        title="办公平台"
        note={info && !info.bound ? '员工在飞书、企业微信或钉钉里收到工资条，不用再记密码' : undefined}
      />
      {info && !isInstalling ? (
        <>
          {info.bound ? (
            <>
              <BindingCard status={info.status} bound={info.bound} endsAtOnce={info.ends_at_once} onDone={refresh} />
              <SyncCard status={info.status} onDone={refresh} />
              <CombineMembers bound={info.bound} onDone={refresh} />
            </>
          ) : (
            <PlatformSelection info={info} onDone={refresh} />
          )}
          <BindingHistory history={info.history} />
        </>
      ) : (
        <section className="ui-card">
          {platformInfo.error ? <ErrorState error={platformInfo.error} retry={refresh} /> : <Skeleton rows={8} />}
        </section>
      )}
    </div>
  )
}
