import { useQuery } from '@tanstack/react-query'
import { Button, Pagination, Radio } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { type CombineKind, combinePlatform, getCorpCombineInfo } from '../../../../server/contract/people/binding.ts'
import { query, useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from './platform.module.css'
import { groundWords, kindWords, whyWords } from './words.ts'

type Found = OutputOf<typeof getCorpCombineInfo>
type Pair = Found['conflicts'][number]
type Side = Pick<Pair['platform_user'], 'name' | 'mobile' | 'employee_no' | 'departments'>
const aboutOf = ({ mobile, employee_no, departments }: Side): string =>
  [departments.join('、'), employee_no && `工号 ${employee_no}`, mobile].filter(Boolean).join(' · ')

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

/** Who of the platform is whom: both sides beside one another, and a person decides. */
export function Combine({ onDone }: { onDone: () => void }) {
  const [kind, setKind] = useState<CombineKind>('conflict')
  const [search, setSearch] = useState<string>()
  const [page, setPage] = useState(1)
  const asked = useQuery({
    ...query(getCorpCombineInfo, { kind, page, pagesize: 10, ...(search ? { search } : {}) }),
    // After a reading of the directory this is mounted anew: what stood here before it is no answer any more.
    refetchOnMount: 'always',
    // Asked once more after the binding has ended: the page shows that by itself.
    meta: { quiet: true },
  })
  const found = asked.data
  const word = (one: CombineKind) => (found ? `${kindWords[one]} ${found.counts[one].toLocaleString('zh-CN')}` : kindWords[one])
  const words = {
    conflict: word('conflict'),
    suggested: word('suggested'),
    new: word('new'),
    ignored: word('ignored'),
    same: word('same'),
    left: word('left'),
  }
  const again = () => {
    void asked.refetch()
    onDone()
  }
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-combine">
      <div className={styles.head}>
        <h2 id="platform-combine">人员核对</h2>
        <SearchBox
          value={search}
          placeholder="搜索姓名、工号或账号"
          onSearch={(text) => {
            setSearch(text)
            setPage(1)
          }}
        />
      </div>
      {found && found.only_here > 0 && (
        <p className="ui-hint">{`花名册里有 ${found.only_here.toLocaleString('zh-CN')} 人不在平台上或还没有对应，工资条会改用短信等方式通知他们。`}</p>
      )}
      <Tabs
        label="核对结果"
        at={kind}
        words={words}
        onGo={(next) => {
          setKind(next)
          setPage(1)
        }}
      />
      {found ? (
        found.conflicts.length > 0 ? (
          <>
            <ul className={styles.pairs}>
              {found.conflicts.map((pair) => (
                <PairRow key={pair.platform_user.platform_user_id} kind={kind} pair={pair} onDone={again} />
              ))}
            </ul>
            <Pagination
              current={page}
              pageSize={10}
              total={found.page.total}
              showSizeChanger={false}
              hideOnSinglePage
              onChange={setPage}
            />
          </>
        ) : (
          <Empty drawing="people" text={search ? '没有找到这样的人' : isUnread(found) ? unread : emptyWords[kind]} />
        )
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={6} />
      )}
    </section>
  )
}

function PairRow({ kind, pair, onDone }: { kind: CombineKind; pair: Pair; onDone: () => void }) {
  const { platform_user: there, why, linked_by, candidates } = pair
  const [only] = candidates.length === 1 && kind === 'suggested' ? candidates : []
  const [chosen, setChosen] = useState(only?.member_id)
  const decide = useCall(combinePlatform, {
    onSuccess: ({ linked, created }) => {
      toast.done(linked ? '已对应' : created ? '已加入花名册' : '已忽略，可以在「已忽略」里找回')
      onDone()
    },
  })
  const say = (member_id: string) => decide.mutate({ decisions: [{ platform_user_id: there.platform_user_id, member_id }] })
  const name = there.name || there.platform_user_id
  const isLinked = kind === 'same' || kind === 'left'
  return (
    <li className={styles.pair}>
      <div>
        <small>平台</small>
        <strong>{name}</strong>
        <span>{aboutOf(there)}</span>
        {why && <em>{whyWords[why]}</em>}
        {linked_by && <em data-calm>{groundWords[linked_by]}</em>}
      </div>
      <div>
        <small>花名册</small>
        {candidates.length === 0 ? (
          <span>没有相同的人</span>
        ) : isLinked ? (
          candidates.map((one) => (
            <span key={one.member_id}>
              <strong>{one.name}</strong> {aboutOf(one)}
            </span>
          ))
        ) : (
          <Radio.Group
            aria-label={`${name} 在花名册里是`}
            value={chosen}
            onChange={(event) => setChosen(String(event.target.value))}
            options={candidates.map((one) => ({
              value: one.member_id,
              label: (
                <>
                  <strong>{one.name}</strong> <span>{aboutOf(one)}</span>
                </>
              ),
            }))}
          />
        )}
      </div>
      {!isLinked && (
        <div className={`ui-row ${styles.acts}`}>
          {candidates.length > 0 && (
            <Button type="primary" disabled={!chosen} loading={decide.isPending} onClick={() => chosen && say(chosen)}>
              是这个人
            </Button>
          )}
          <Button disabled={decide.isPending} aria-label={`把 ${name} 加入花名册`} onClick={() => say('create')}>
            加入花名册
          </Button>
          {kind !== 'ignored' && (
            <Button type="text" disabled={decide.isPending} aria-label={`忽略 ${name}`} onClick={() => say('ignore')}>
              忽略
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
