import { Form, Input } from 'antd'
import { useState } from 'react'
import { insertTemplate, type SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { useCall } from '../../../api.ts'
import { FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import styles from './template.module.css'
import { nameOfSameHeader } from './template-words.ts'

/** Gives the setup of a batch a name: what its columns are for, and how its slips look. */
export function SaveTemplate(props: { open: boolean; sheet: SheetInfo; onClose: () => void }) {
  const { sheet } = props
  /** The name it was saved under while the page is open. */
  const [saved, setSaved] = useState<string | null>(null)
  const same = saved ?? nameOfSameHeader(sheet.remembered)
  const save = useCall(insertTemplate, { handles: (error) => error.field !== undefined })
  return (
    <FormDialog<{ name: string }>
      open={props.open}
      title={same ? '更新模板' : '存为模板'}
      action={same ? '更新模板' : '存为模板'}
      initial={{ name: same ?? sheet.title?.title.replace(/\d{4}\s*年\s*\d{1,2}\s*月/, '').trim() ?? '' }}
      onSubmit={async ({ name }) => {
        await save.mutateAsync({ batch_id: sheet.batch_id, name })
        toast.done(same ? `模板「${name}」已更新` : `已存为模板「${name}」`)
        setSaved(name)
      }}
      onClose={props.onClose}
    >
      <p className={styles.about}>
        {same
          ? `同样表头的工资表已经有模板「${same}」：保存会更新它，名称也会换成您填写的。`
          : '记住每一列的用途、分组、名称和说明，下次同样表头的工资表自动套用，也可以用在相近的表上。'}
      </p>
      <Form.Item name="name" label="模板名称" rules={[{ required: true, whitespace: true, message: '请填写模板名称' }]}>
        <Input maxLength={40} placeholder="如：总部月薪" />
      </Form.Item>
    </FormDialog>
  )
}
