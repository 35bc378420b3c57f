import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { useCallback } from 'react'
import { getPlatformInfo } from '../../../../server/contract/people/binding.ts'
import { query } from '../../../api.ts'
import { Combine } from '../../../parts/company/combine/combine.tsx'
import { Bound } from '../../../parts/company/platform/bound.tsx'
import { Choose } from '../../../parts/company/platform/choose.tsx'
import { History } from '../../../parts/company/platform/history.tsx'
import { useInstalled } from '../../../parts/company/platform/installed.ts'
import { SyncCard } from '../../../parts/company/platform/sync.tsx'
import { begin, first } from '../../../routed/first.ts'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

export const Route = createFileRoute('/_desk/_company/companyThird')({
  staticData: { title: '办公平台', section: 'message', who: { powers: ['1'], corp: 'any' } },
  loader: ({ route }) => first(route, () => begin(query(getPlatformInfo, {}))),
  component: CompanyThird,
})

/** The company's chat platform: bound, read in step, who of it is whom, and its end. */
function CompanyThird() {
  const asked = useQuery(query(getPlatformInfo, {}))
  const { refetch, data: info } = asked
  const again = useCallback(() => void refetch(), [refetch])
  const isInstalling = useInstalled(again)
  return (
    <div className="ui-page">
      <PageHead
        title="办公平台"
        note={info && !info.bound ? '员工在飞书、企业微信或钉钉里收到工资条，不用再记密码' : undefined}
      />
      {info && !isInstalling ? (
        <>
          {info.bound ? (
            <>
              <Bound status={info.status} bound={info.bound} onDone={again} />
              <SyncCard status={info.status} onDone={again} />
              <Combine bound={info.bound} onDone={again} />
            </>
          ) : (
            <Choose info={info} onDone={again} />
          )}
          <History history={info.history} />
        </>
      ) : (
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={again} /> : <Skeleton rows={8} />}
        </section>
      )}
    </div>
  )
}
