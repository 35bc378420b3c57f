import { useState } from 'react'
import { insertTemplate, type WageSheetInfo } from '../../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../../api.ts'
import { FormField } from '../../../../components/form/desktop-field.tsx'
import { FormDialog } from '../../../../components/overlay/dialogs.tsx'
import { toast } from '../../../../components/overlay/toast.ts'
import styles from './template.module.css'
import { getSameHeaderTemplateName } from './template-labels.ts'

/** Saves the setup of a batch under a name: column roles and payslip layout. */
export function SaveTemplateDialog(props: { open: boolean; sheet: WageSheetInfo; onClose: () => void }) {
  const { sheet } = props
  /** The name of the last save since the page was opened. */
  const [savedName, setSavedName] = useState<string | null>(null)
  const existingName = savedName ?? getSameHeaderTemplateName(sheet.remembered)
  const save = useCallMutation(insertTemplate, { handles: (error) => error.field !== undefined })
  return (
    <FormDialog<{ name: string }>
      open={props.open}
      title={existingName ? '更新模板' : '存为模板'}
      action={existingName ? '更新模板' : '存为模板'}
      initial={{ name: existingName ?? sheet.title?.title.replace(/\d{4}\s*年\s*\d{1,2}\s*月/, '').trim() ?? '' }}
      onSubmit={async ({ name }) => {
        await save.mutateAsync({ batch_id: sheet.batch_id, name })
        toast.success(existingName ? `模板「${name}」已更新` : `已存为模板「${name}」`)
        setSavedName(name)
      }}
      onClose={props.onClose}
    >
      <p className={styles.about}>
        {existingName
          ? `同样表头的工资表已经有模板「${existingName}」：保存会更新它，名称也会换成您填写的。`
          : '记住每一列的用途、分组、名称和说明，下次同样表头的工资表自动套用，也可以用在相近的表上。'}
      </p>
      <FormField name="name" label="模板名称" required="请填写模板名称" maxLength={40} placeholder="如：总部月薪" />
    </FormDialog>
  )
}
