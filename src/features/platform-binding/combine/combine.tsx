import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Pagination } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type CombineKind, getCorpCombineInfo } from '../../../../server/contract/platform-binding/binding.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import type { PlatformBinding } from '../binding-card.tsx'
import { combineKindLabels } from '../labels.ts'
import styles from './combine.module.css'
import { HiddenNameTools } from './hidden-names.tsx'
import { PairRow } from './pair-row.tsx'
import { PlatformUserDialog, type ResolvedPlatformUser } from './platform-user-dialog.tsx'
import { ExportStatus, usePlatformUserExport } from './platform-user-export.tsx'
import { usePlatformUserView } from './use-platform-users.ts'

type CombineList = CallOutput<typeof getCorpCombineInfo>

const pagesize = 10
const emptyTexts: Readonly<Record<CombineKind, string>> = {
  conflict: '没有冲突，不用核对',
  suggested: '没有需要确认的人',
  new: '平台上的人都在花名册里',
  ignored: '没有忽略任何人',
  same: '还没有人对应上；同步之后这里会列出来',
  left: '没有已对应的人离开平台',
}

/** Returns true if no platform user is known yet: an empty list of differences would be misleading. */
const isNotSynced = ({ counts }: CombineList) => Object.values(counts).every((people) => people === 0)
const notSyncedText = '还没有读到平台上的人。同步通讯录以后，对不上的人会列在这里。'

function useCombinePairs(
  syncKey: string,
  { kind, page, search }: { kind: CombineKind; page: number; search: string | undefined },
) {
  const { data, error, isFetched, isPlaceholderData, refetch } = useQuery({
    ...callQuery(getCorpCombineInfo, { kind, page, pagesize, ...(search ? { search } : {}) }),
    refetchOnMount: 'always',
    placeholderData: keepPreviousData,
    // One more request runs after the binding has ended; the page handles that itself.
    meta: { quiet: true },
  })
  const viewedSyncKey = useRef(syncKey)
  // After a sync the previous selection is outdated; it stays if the user still exists.
  useEffect(() => {
    if (viewedSyncKey.current === syncKey) return
    viewedSyncKey.current = syncKey
    void refetch()
  }, [syncKey, refetch])
  // The counts by kind stay while another kind loads; the users are only those of the current response.
  return { error, isFetched, refetch, existing: data, match: isPlaceholderData ? undefined : data }
}

/** Matches platform users with members: both are shown in one row and an administrator decides. */
export function CombineMembers({ bound: binding, onDone }: { bound: PlatformBinding; onDone: () => void }) {
  const view = usePlatformUserView(binding)
  // Without names and phones there can be no conflicts.
  const [selectedKind, setSelectedKind] = useState<CombineKind>()
  const kind = selectedKind ?? (view.state === 'told' ? 'conflict' : 'new')
  const [search, setSearch] = useState<string>()
  const syncKey = `${binding.users.total} ${binding.last_sync?.at}`
  // The page number belongs to one sync: after the next there may be fewer pages.
  const [pagination, setPagination] = useState({ page: 1, read: syncKey })
  const page = pagination.read === syncKey ? pagination.page : 1
  const setPage = (next: number) => setPagination({ page: next, read: syncKey })
  const [platformUser, setPlatformUser] = useState<ResolvedPlatformUser>()
  const file = usePlatformUserExport()
  const { error, isFetched, match: current, existing: latest, refetch } = useCombinePairs(syncKey, { kind, page, search })
  const selectKind = (next: CombineKind) => {
    setSelectedKind(next)
    setPage(1)
  }
  const refresh = () => {
    void refetch()
    onDone()
  }
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-combine">
      <div className={styles.head}>
        <h2 id="platform-combine">人员核对</h2>
        <div className="ui-row">
          <SearchBox
            value={search}
            placeholder={view.state === 'told' ? '搜索姓名、工号或账号' : '搜索账号'}
            onSearch={(text) => {
              setSearch(text)
              setPage(1)
            }}
          />
          <ActionButton
            mark="download"
            loading={file.busy}
            allowed={!current || !isNotSynced(current) || '还没有读到平台上的人，同步以后再导出'}
            onClick={file.make}
          >
            导出核对表
          </ActionButton>
        </div>
      </div>
      <ExportStatus file={file} />
      {latest && latest.only_here > 0 && (
        <p className="ui-hint">{`花名册里有 ${latest.only_here.toLocaleString('zh-CN')} 人不在平台上或还没有对应，工资条会改用短信等方式通知他们。`}</p>
      )}
      {view.state !== 'told' && (
        <HiddenNameTools binding={binding} view={view} onMatch={() => selectKind('suggested')} onSelected={setPlatformUser} />
      )}
      {(latest || isFetched) && <Tabs label="核对结果" at={kind} labels={getKindLabels(latest)} onGo={selectKind} />}
      {current ? (
        current.conflicts.length > 0 ? (
          <PairList
            match={current}
            onPage={setPage}
            row={{
              kind,
              view,
              onDone: refresh,
              onSearchRoster: (one) => setPlatformUser({ platform_user: one, linked_by: null, linked_to: null }),
            }}
          />
        ) : (
          <EmptyState
            illustration="people"
            text={search ? '没有找到这样的人' : isNotSynced(current) ? notSyncedText : emptyTexts[kind]}
          />
        )
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={6} />
      )}
      {platformUser && (
        <PlatformUserDialog resolved={platformUser} view={view} onDone={refresh} onClose={() => setPlatformUser(undefined)} />
      )}
    </section>
  )
}

function getKindLabels(list: CombineList | undefined): Record<CombineKind, string> {
  const formatLabel = (kind: CombineKind) =>
    list ? `${combineKindLabels[kind]} ${list.counts[kind].toLocaleString('zh-CN')}` : combineKindLabels[kind]
  return {
    conflict: formatLabel('conflict'),
    suggested: formatLabel('suggested'),
    new: formatLabel('new'),
    ignored: formatLabel('ignored'),
    same: formatLabel('same'),
    left: formatLabel('left'),
  }
}

type PairRowProps = Omit<Parameters<typeof PairRow>[0], 'pair'>
const PairList = ({ match: list, row, onPage }: { match: CombineList; row: PairRowProps; onPage: (page: number) => void }) => (
  <>
    <ul className={styles.pairs}>
      {list.conflicts.map((pair) => (
        <PairRow key={pair.platform_user.platform_user_id} pair={pair} {...row} />
      ))}
    </ul>
    <Pagination
      current={list.page.page}
      pageSize={pagesize}
      total={list.page.total}
      showSizeChanger={false}
      hideOnSinglePage
      onChange={onPage}
    />
  </>
)
