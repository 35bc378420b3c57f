import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { getJoinList } from '../../../server/contract/people/invite.ts'
import { query } from '../../api.ts'
import { useMay } from '../../session.ts'
import { narrow } from '../../theme.ts'
import { Act } from '../../ui/act.tsx'
import { useNarrow } from '../../ui/media.ts'
import { type Columns, DataTable } from '../../ui/table/data-table.tsx'
import { dayAndTime } from '../../ui/value/dates.ts'
import { actsColumn } from './acts-column.tsx'
import styles from './approval.module.css'
import type { Join } from './words.ts'

type Deciding = { join: Join; to: 1 | 2 }

const JoinDialog = lazy(async () => ({ default: (await import('./join-dialog.tsx')).JoinDialog }))

/** Who came by the picture and waits to be let in, each with the decision. Nothing where nobody waits, and for whoever keeps no roster. */
export function Joins() {
  return useMay()(getJoinList.who) ? <Waiting /> : null
}

function Waiting() {
  const [turned, setTurned] = useState({ page: 1, pagesize: 10 })
  const asked = useQuery(query(getJoinList, turned))
  const isNarrow = useNarrow(narrow)
  const [deciding, setDeciding] = useState<Deciding | null>(null)
  if (!deciding && asked.data?.page.total === 0) return null
  return (
    <section className="ui-card" aria-labelledby="todo-joins">
      <h2 id="todo-joins">扫码申请加入的人</h2>
      <DataTable
        asked={asked}
        columns={columns(setDeciding, isNarrow)}
        rowKey="join_id"
        unit="人"
        label="扫码申请加入的人"
        empty={{ drawing: 'letter', text: '没有等待加入的人' }}
        onPage={(page, pagesize) => setTurned({ page, pagesize })}
      />
      {deciding && (
        <Suspense>
          <JoinDialog {...deciding} onClose={() => setDeciding(null)} />
        </Suspense>
      )}
    </section>
  )
}

/** On a phone the decision stands under who asks. */
const columns = (decide: (deciding: Deciding) => void, isNarrow: boolean): Columns<Join> => [
  {
    title: '姓名',
    dataIndex: 'name',
    render: (name: string, join) => (
      <div className={styles.text}>
        <span>{name}</span>
        <small>{join.mobile}</small>
        {isNarrow && <Acts join={join} decide={decide} />}
      </div>
    ),
  },
  { title: '申请时间', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'named', render: dayAndTime },
  ...actsColumn<Join>(isNarrow, (join) => <Acts join={join} decide={decide} />),
]

const Acts = ({ join, decide }: { join: Join; decide: (deciding: Deciding) => void }) => (
  <span className={`ui-row ${styles.acts}`}>
    <Button size="small" type="primary" aria-label={`同意 ${join.name} 加入`} onClick={() => decide({ join, to: 1 })}>
      同意
    </Button>
    <Act
      size="small"
      aria-label={`拒绝 ${join.name} 加入`}
      verdict={join.may_refuse || '您只管理部分部门；不是您部门的人，请由管理全公司的管理员处理'}
      onClick={() => decide({ join, to: 2 })}
    >
      拒绝
    </Act>
  </span>
)
