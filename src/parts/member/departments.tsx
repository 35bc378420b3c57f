import type { Department } from '../../../server/contract/member.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tree } from '../../ui/tree.tsx'

type Asked = { data: { list: Department[] } | undefined; error: unknown; refetch: () => unknown }

const title = ({ NAME, count }: Department) => (
  <span className="member-node">
    <span title={NAME}>{NAME}</span>
    <small>{count}</small>
  </span>
)

/** The department tree, all open; each with the number of its people. Choosing the chosen one again shows everybody. */
export function Departments(props: { asked: Asked; chosen: string | undefined; onChoose: (id: string | undefined) => void }) {
  const { asked, chosen, onChoose } = props
  if (!asked.data)
    return asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={5} />
  if (asked.data.list.length === 0) return <p className="ui-hint">还没有部门</p>
  return <Tree tree={asked.data.list} chosen={chosen} onChoose={onChoose} titleOf={title} />
}
