import { Button } from 'antd'
import type { ReactNode } from 'react'
import { getImportSampleFile } from '../../../../server/contract/files/files.ts'
import { downloadFile } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import styles from '../tax.module.css'
import { FileError, FilePicker } from './file-picker.tsx'

type ListImportDialogProps = {
  title: string
  /** What the file is, and what happens with it. */
  description: string
  /** The template to fill in. */
  sample: 'insurance' | 'income'
  /** Fields that the plan depends on. */
  fields?: ReactNode
  file: { name: File | null; label: string; error: string | null; busy: boolean; onFile: (file: File | undefined) => void }
  /** Null until the file was read. */
  plan: { people: number; not_listed: number } | null
  /** The members who stay as they are, in words. */
  notListedText: (people: number) => string
  busy: boolean
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

/** Imports a list that the company keeps itself: a template, the file, what would change, one confirmation. */
export const ListImportDialog = (props: ListImportDialogProps) => {
  const { title, description, sample, fields, file, plan, busy, onConfirm, onClose } = props
  return (
    <Dialog
      open
      width={760}
      title={title}
      {...(plan ? { action: `导入 ${plan.people} 人` } : {})}
      allowed={plan?.people === 0 ? '没有要导入的内容' : true}
      busy={busy}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        <p className="ui-label">{description}</p>
        {fields}
        <div className="ui-row">
          <FilePicker file={file.name} buttonLabel="选择文件" label={file.label} busy={file.busy} onFile={file.onFile} />
          <Button type="link" icon={<Icon name="download" />} onClick={() => downloadFile(getImportSampleFile, { type: sample })}>
            下载模板
          </Button>
        </div>
        <FileError error={file.error} />
        {file.busy && <Skeleton rows={4} />}
        {plan && !file.busy && props.children}
        {plan && !file.busy && plan.not_listed > 0 && <p className="ui-hint">{props.notListedText(plan.not_listed)}</p>}
      </div>
    </Dialog>
  )
}
