import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Pagination } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { type CombineKind, getCorpCombineInfo } from '../../../../server/contract/people/binding.ts'
import { query } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import type { BoundInfo } from '../platform/bound.tsx'
import { kindWords } from '../platform/words.ts'
import { type AskedColleague, ColleagueDialog } from './colleague-dialog.tsx'
import { FileLine, useColleaguesFile } from './colleagues-file.tsx'
import styles from './combine.module.css'
import { HiddenNames } from './hidden-names.tsx'
import { PairRow } from './pair-row.tsx'
import { useColleagues } from './use-colleagues.ts'

type Found = OutputOf<typeof getCorpCombineInfo>

const pagesize = 10
const emptyWords: Readonly<Record<CombineKind, string>> = {
  conflict: '没有冲突，不用核对',
  suggested: '没有需要确认的人',
  new: '平台上的人都在花名册里',
  ignored: '没有忽略任何人',
  same: '还没有人对应上；同步之后这里会列出来',
  left: '没有已对应的人离开平台',
}

/** Nobody of the platform is known here yet: that nothing differs would say too much. */
const isUnread = ({ counts }: Found) => Object.values(counts).every((people) => people === 0)
const unread = '还没有读到平台上的人。同步通讯录以后，对不上的人会列在这里。'

function usePairs(read: string, { kind, page, search }: { kind: CombineKind; page: number; search: string | undefined }) {
  const { data, error, isFetched, isPlaceholderData, refetch } = useQuery({
    ...query(getCorpCombineInfo, { kind, page, pagesize, ...(search ? { search } : {}) }),
    refetchOnMount: 'always',
    placeholderData: keepPreviousData,
    // Asked once more after the binding has ended: the page shows that by itself.
    meta: { quiet: true },
  })
  const seen = useRef(read)
  // After a reading of the directory what stood here before it is no answer any more; where somebody is among it he stays.
  useEffect(() => {
    if (seen.current === read) return
    seen.current = read
    void refetch()
  }, [read, refetch])
  // How many there are of each kind stays known while another kind is asked for; its people are those of the answer only.
  return { error, isFetched, refetch, known: data, found: isPlaceholderData ? undefined : data }
}

/** Who of the platform is whom: both sides beside one another, and a person decides. */
export function Combine({ bound, onDone }: { bound: BoundInfo; onDone: () => void }) {
  const shown = useColleagues(bound)
  // Without names and phones nothing contradicts anything.
  const [chosen, setChosen] = useState<CombineKind>()
  const kind = chosen ?? (shown.state === 'told' ? 'conflict' : 'new')
  const [search, setSearch] = useState<string>()
  const read = `${bound.people.total} ${bound.last_sync?.at}`
  // Which page one is on is said of one reading: after the next there may be fewer.
  const [turned, setTurned] = useState({ page: 1, read })
  const page = turned.read === read ? turned.page : 1
  const setPage = (next: number) => setTurned({ page: next, read })
  const [colleague, setColleague] = useState<AskedColleague>()
  const file = useColleaguesFile()
  const { error, isFetched, found, known, refetch } = usePairs(read, { kind, page, search })
  const go = (next: CombineKind) => {
    setChosen(next)
    setPage(1)
  }
  const again = () => {
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
            placeholder={shown.state === 'told' ? '搜索姓名、工号或账号' : '搜索账号'}
            onSearch={(text) => {
              setSearch(text)
              setPage(1)
            }}
          />
          <Act
            mark="download"
            loading={file.busy}
            verdict={!found || !isUnread(found) || '还没有读到平台上的人，同步以后再导出'}
            onClick={file.make}
          >
            导出核对表
          </Act>
        </div>
      </div>
      <FileLine file={file} />
      {known && known.only_here > 0 && (
        <p className="ui-hint">{`花名册里有 ${known.only_here.toLocaleString('zh-CN')} 人不在平台上或还没有对应，工资条会改用短信等方式通知他们。`}</p>
      )}
      {shown.state !== 'told' && (
        <HiddenNames bound={bound} shown={shown} onFound={() => go('suggested')} onChosen={setColleague} />
      )}
      {(known || isFetched) && <Tabs label="核对结果" at={kind} words={wordsOf(known)} onGo={go} />}
      {found ? (
        found.conflicts.length > 0 ? (
          <Pairs
            found={found}
            onPage={setPage}
            row={{
              kind,
              shown,
              onDone: again,
              onAsk: (one) => setColleague({ platform_user: one, linked_by: null, linked_to: null }),
            }}
          />
        ) : (
          <Empty drawing="people" text={search ? '没有找到这样的人' : isUnread(found) ? unread : emptyWords[kind]} />
        )
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={6} />
      )}
      {colleague && <ColleagueDialog asked={colleague} shown={shown} onDone={again} onClose={() => setColleague(undefined)} />}
    </section>
  )
}

function wordsOf(found: Found | undefined): Record<CombineKind, string> {
  const word = (one: CombineKind) => (found ? `${kindWords[one]} ${found.counts[one].toLocaleString('zh-CN')}` : kindWords[one])
  return {
    conflict: word('conflict'),
    suggested: word('suggested'),
    new: word('new'),
    ignored: word('ignored'),
    same: word('same'),
    left: word('left'),
  }
}

type Row = Omit<Parameters<typeof PairRow>[0], 'pair'>
const Pairs = ({ found, row, onPage }: { found: Found; row: Row; onPage: (page: number) => void }) => (
  <>
    <ul className={styles.pairs}>
      {found.conflicts.map((pair) => (
        <PairRow key={pair.platform_user.platform_user_id} pair={pair} {...row} />
      ))}
    </ul>
    <Pagination
      current={found.page.page}
      pageSize={pagesize}
      total={found.page.total}
      showSizeChanger={false}
      hideOnSinglePage
      onChange={onPage}
    />
  </>
)
