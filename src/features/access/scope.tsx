import { useQuery } from '@tanstack/react-query'
import { Radio } from 'antd'
import { getDepartList } from '../../../server/contract/directory/members.ts'
import { callQuery } from '../../api.ts'
import { TreePicker } from '../../components/tree/tree-picker.tsx'
import { useIsAgency } from '../../session.ts'
import styles from './role.module.css'
import '../../components/table/table.css'

const maxTags = 3

/** A scope: the whole company, or departments as tags; more than a few are counted and listed on hover. */
export function ScopeTags({ all, departments }: { all: boolean; departments: readonly string[] }) {
  if (all) return <span className="ui-tag">全公司</span>
  if (departments.length === 0) return <span className="ui-hint">还没有划定部门</span>
  const rest = departments.slice(maxTags)
  return (
    <span className="ui-tags">
      {departments.slice(0, maxTags).map((name, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two departments may have one name
        <span className="ui-tag" key={`${index}${name}`} title={name}>
          <span>{name}</span>
        </span>
      ))}
      {rest.length > 0 && (
        <span className="ui-tag" title={rest.join('、')}>
          另 {rest.length} 个部门
          <span className="sr-only">：{rest.join('、')}</span>
        </span>
      )}
    </span>
  )
}

export type SelectedScope = { all: boolean; department_ids: string[] }
export const emptyScope: SelectedScope = { all: false, department_ids: [] }

/** Selects the whole company, or departments including their descendants. Fits directly into a Form.Item. */
export function ScopeField({
  value = emptyScope,
  onChange,
}: {
  value?: SelectedScope
  onChange?: (scope: SelectedScope) => void
}) {
  const tree = useQuery(callQuery(getDepartList, {}))
  const isAgency = useIsAgency()
  return (
    <div className={`ui-stack ${styles.scope}`}>
      <Radio.Group
        aria-label="管理范围"
        value={value.all}
        options={[
          { value: true, label: '全公司' },
          { value: false, label: '指定部门' },
        ]}
        onChange={(event) => onChange?.({ ...value, all: event.target.value })}
      />
      {!value.all && (
        <>
          <TreePicker
            multiple
            includesDescendants
            tree={tree.data?.list ?? []}
            placeholder="选择部门"
            value={value.department_ids}
            onChange={(department_ids) => onChange?.({ all: false, department_ids })}
          />
          <p className="ui-hint">选中一个部门，就包括它下面的所有部门，以后新增的也算在内。</p>
        </>
      )}
      {isAgency && <p className="ui-hint">范围只限本企业的同事与部门；服务哪些企业、其中哪些部门，由对方授权。</p>}
    </div>
  )
}

export const scopeRule = {
  validator: (_: unknown, scope: SelectedScope | undefined) =>
    scope && (scope.all || scope.department_ids.length > 0)
      ? Promise.resolve()
      : Promise.reject(new Error('请选择部门，或选择全公司')),
}
