import { useQuery } from '@tanstack/react-query'
import { Button, Form, Input } from 'antd'
import { useState } from 'react'
import { getTemplateList, insertTemplate } from '../../../../server/contract/sheet.ts'
import { query, useCall } from '../../../api.ts'
import { monthName } from '../../../ui/dates.ts'
import { Dialog, FormDialog } from '../../../ui/dialogs.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { ErrorState } from '../../../ui/error-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { toast } from '../../../ui/toast.ts'

/** Chooses a setup that was kept: what columns are for, what adds up, how slips look. */
export function UseTemplate(props: { open: boolean; busy: boolean; onUse: (template_id: string) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [page, setPage] = useState(1)
  const asked = useQuery({
    ...query(getTemplateList, { name, page, pagesize: 10 }),
    enabled: props.open,
    placeholderData: (old) => old,
  })
  const { list = [], page: { total = 0 } = {} } = asked.data ?? {}
  return (
    <Dialog open={props.open} title="用已存的模板" ownButtons onClose={props.onClose}>
      <div className="ui-stack">
        <Input.Search
          aria-label="按名称找模板"
          placeholder="按名称找"
          allowClear
          onSearch={(text) => {
            setName(text.trim())
            setPage(1)
          }}
        />
        {asked.error && !asked.data ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : !asked.data ? (
          <Skeleton rows={4} />
        ) : total === 0 ? (
          <Empty text={name ? `没有名称里有「${name}」的模板` : '还没有模板。核对好一份工资表后，可以把它的设置存为模板'} />
        ) : (
          <ul className="templates">
            {list.map((one) => (
              <li key={one.template_id}>
                <div className="ui-grow">
                  <p>
                    <strong>{one.name ?? (one.title ? `「${one.title}」用过的设置` : '没有命名的设置')}</strong>
                    {one.month && <span className="ui-hint"> {monthName(one.month)}</span>}
                  </p>
                  <p className="ui-hint">
                    {one.columns} 列：{one.labels.join('、')}
                  </p>
                </div>
                <Button disabled={props.busy} onClick={() => props.onUse(one.template_id)}>
                  用这个
                </Button>
              </li>
            ))}
          </ul>
        )}
        {total > 10 && (
          <div className="ui-row">
            <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
              上一页
            </Button>
            <Button disabled={page * 10 >= total} onClick={() => setPage(page + 1)}>
              下一页
            </Button>
            <span className="ui-hint">共 {total} 个</span>
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** Gives the setup of this sheet a name. */
export function SaveTemplate(props: { open: boolean; batch_id: string; suggested: string; onClose: () => void }) {
  const save = useCall(insertTemplate, { handles: (error) => error.field === 'name' })
  return (
    <FormDialog<{ name: string }>
      open={props.open}
      title="存为模板"
      action="存为模板"
      initial={{ name: props.suggested }}
      onSubmit={async ({ name }) => {
        await save.mutateAsync({ batch_id: props.batch_id, name })
        toast.done(`已存为模板「${name.trim()}」，同样的表头会自动用上`)
      }}
      onClose={props.onClose}
    >
      <Form.Item label="名称" name="name">
        <Input maxLength={40} placeholder="如 门店月薪表" />
      </Form.Item>
    </FormDialog>
  )
}
