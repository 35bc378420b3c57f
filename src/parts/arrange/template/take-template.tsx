import { useQuery } from '@tanstack/react-query'
import { Radio } from 'antd'
import { useState } from 'react'
import { checkRequireColumnData, getTemplateList } from '../../../../server/contract/sheet/sheet.ts'
import { query, useCall } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from './template.module.css'
import { columnWords, lastUsed, templateName } from './template-words.ts'

const pagesize = 20

/** Another batch's setup for this one: what its columns are for and how its slips look. */
export function TakeTemplate(props: {
  open: boolean
  batch_id: string
  /** Puts on the server what is still in hand, before the template changes it. */
  flush?: () => Promise<boolean>
  onTaken?: () => void
  onClose: () => void
}) {
  const { open, batch_id, onClose } = props
  const [name, setName] = useState<string>()
  const [chosen, setChosen] = useState<string | null>(null)
  const asked = useQuery({
    ...query(getTemplateList, { ...(name ? { name } : {}), page: 1, pagesize }),
    enabled: open,
    placeholderData: (old) => old,
  })
  const list = asked.data?.list ?? []
  const total = asked.data?.page.total ?? 0
  const template = list.find(({ template_id }) => template_id === chosen)
  const take = useCall(checkRequireColumnData)
  const confirm = async () => {
    if (!template || (await props.flush?.()) === false) return
    // Columns keep what they are for where the template does not know them.
    const { ok, missing } = await take.mutateAsync({ batch_id, columns: [], template_id: template.template_id })
    if (ok || missing.length === 0) toast.done(`已套用「${templateName(template)}」`)
    else toast.info(`已套用「${templateName(template)}」；这份表还缺必要的列，请回到第 1 步指定`)
    props.onTaken?.()
    onClose()
  }
  return (
    <Dialog
      open={open}
      title="套用哪个模板？"
      action="套用模板"
      verdict={template ? true : '请先选一个模板'}
      busy={take.isPending}
      // The refusal is said by its toast; the dialog stays as it is.
      onConfirm={() => void confirm().catch(() => undefined)}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>列的用途、分组、名称和说明都按模板来；这份表现在的排版会被换掉。</p>
        {(name || total > 10) && <SearchBox value={name} onSearch={setName} placeholder="搜索模板名称" width="100%" />}
        {asked.error && !asked.data ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : !asked.data ? (
          <Skeleton rows={4} />
        ) : list.length === 0 ? (
          <Empty text={name ? `没有叫「${name}」的模板` : '还没有模板。排好一份工资条后，点「存为模板」。'} />
        ) : (
          <Radio.Group
            className={styles.choice}
            value={chosen}
            aria-label="模板"
            onChange={(event) => setChosen(String(event.target.value))}
          >
            {list.map((one) => (
              <Radio key={one.template_id} value={one.template_id}>
                <strong>{templateName(one)}</strong>
                <small>
                  {lastUsed(one)} · {columnWords(one)}
                </small>
              </Radio>
            ))}
          </Radio.Group>
        )}
        {total > list.length && (
          <p className="ui-hint">
            共 {total} 个，先列出最近用过的 {list.length} 个，其余的请搜索
          </p>
        )}
      </div>
    </Dialog>
  )
}
