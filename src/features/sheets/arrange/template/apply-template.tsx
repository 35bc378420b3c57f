import { useQuery } from '@tanstack/react-query'
import { Radio } from 'antd'
import { useState } from 'react'
import { checkRequireColumnData, getTemplateList } from '../../../../../server/contract/sheets/sheet.ts'
import { callQuery, useCallMutation } from '../../../../api.ts'
import { Dialog } from '../../../../components/overlay/dialogs.tsx'
import { toast } from '../../../../components/overlay/toast.ts'
import { SearchBox } from '../../../../components/page/search-box.tsx'
import { EmptyState } from '../../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { formatCount } from '../../../../components/value/counts.ts'
import styles from './template.module.css'
import { formatColumnSummary, formatLastUse, formatTemplateName } from './template-labels.ts'

const pagesize = 20

/** Applies the setup of another batch to this one: column roles and payslip layout. */
export function ApplyTemplateDialog(props: {
  open: boolean
  batch_id: string
  /** Saves pending changes before the template changes the layout. */
  flush?: () => Promise<boolean>
  onAccepted?: () => void
  onClose: () => void
}) {
  const { open, batch_id, onClose } = props
  const [name, setName] = useState<string>()
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const templates = useQuery({
    ...callQuery(getTemplateList, { ...(name ? { name } : {}), page: 1, pagesize }),
    enabled: open,
    placeholderData: (old) => old,
  })
  const list = templates.data?.list ?? []
  const total = templates.data?.page.total ?? 0
  const template = list.find(({ template_id }) => template_id === selectedId)
  const applyTemplate = useCallMutation(checkRequireColumnData)
  const confirm = async () => {
    if (!template || (await props.flush?.()) === false) return
    // Columns that the template does not know keep their roles.
    const { ok, missing } = await applyTemplate.mutateAsync({ batch_id, columns: [], template_id: template.template_id })
    if (ok || missing.length === 0) toast.success(`已套用「${formatTemplateName(template)}」`)
    else toast.info(`已套用「${formatTemplateName(template)}」；这份表还缺必要的列，请回到第 1 步指定`)
    props.onAccepted?.()
    onClose()
  }
  return (
    <Dialog
      open={open}
      title="套用哪个模板？"
      action="套用模板"
      allowed={template ? true : '请先选一个模板'}
      busy={applyTemplate.isPending}
      // A toast shows the error; the dialog stays open.
      onConfirm={() => void confirm().catch(() => undefined)}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>列的用途、分组、名称和说明都按模板来；这份表现在的排版会被换掉。</p>
        {(name || total > 10) && <SearchBox value={name} onSearch={setName} placeholder="搜索模板名称" width="100%" />}
        {templates.error && !templates.data ? (
          <ErrorState error={templates.error} retry={() => void templates.refetch()} />
        ) : !templates.data ? (
          <Skeleton rows={4} />
        ) : list.length === 0 ? (
          <EmptyState text={name ? `没有叫「${name}」的模板` : '还没有模板。排好一份工资条后，点「存为模板」。'} />
        ) : (
          <Radio.Group
            className={styles.choice}
            value={selectedId}
            aria-label="模板"
            onChange={(event) => setSelectedId(String(event.target.value))}
          >
            {list.map((item) => (
              <Radio key={item.template_id} value={item.template_id}>
                <strong>{formatTemplateName(item)}</strong>
                <small>
                  {formatLastUse(item)} · {formatColumnSummary(item)}
                </small>
              </Radio>
            ))}
          </Radio.Group>
        )}
        {total > list.length && (
          <p className="ui-hint">
            共 {formatCount(total)} 个，先列出最近用过的 {formatCount(list.length)} 个，其余的请搜索
          </p>
        )}
      </div>
    </Dialog>
  )
}
