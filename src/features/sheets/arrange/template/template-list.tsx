import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { clearTemplate, getTemplateList, updateTemplate } from '../../../../../server/contract/sheets/sheet.ts'
import { callQuery, useCallMutation } from '../../../../api.ts'
import { FormField } from '../../../../components/form/desktop-field.tsx'
import { ConfirmDialog, FormDialog } from '../../../../components/overlay/dialogs.tsx'
import { toast } from '../../../../components/overlay/toast.ts'
import { SearchBox } from '../../../../components/page/search-box.tsx'
import type { PageParams } from '../../../../components/search-params.ts'
import { type Columns, DataTable } from '../../../../components/table/data-table.tsx'
import { RowMenu } from '../../../../components/table/row-menu.tsx'
import styles from './template.module.css'
import { formatColumnSummary, formatLastUse, formatTemplateName, type Template } from './template-labels.ts'

/** The number of templates from which a search box is shown. */
const searchThreshold = 10

type TemplateListSearch = PageParams & { name?: string | undefined }
export const templateListQuery = ({ name, page = 1, pagesize }: TemplateListSearch) =>
  callQuery(getTemplateList, { ...(name ? { name } : {}), page, pagesize })

type TemplateActions = { onRename: (template: Template) => void; onDelete: (template: Template) => void }
const createColumns = ({ onRename, onDelete }: TemplateActions): Columns<Template> => [
  {
    title: '模板',
    key: 'name',
    render: (_, one) => (
      <div className={styles.name}>
        {one.name === null ? <span>{formatTemplateName(one)}</span> : <strong>{one.name}</strong>}
        <small>
          {formatLastUse(one)} · {formatColumnSummary(one)}
        </small>
      </div>
    ),
  },
  {
    title: '',
    key: 'act',
    width: 56,
    render: (_, one) => (
      <RowMenu
        label={formatTemplateName(one)}
        acts={[
          { key: 'name', label: one.name === null ? '起个名字' : '改名', onClick: () => onRename(one) },
          { key: 'clear', label: '删除', danger: true, onClick: () => onDelete(one) },
        ]}
      />
    ),
  },
]

/** Named templates, and setups learned from sheets without a name: each can be renamed, named or deleted. */
export function TemplateList(props: { search: TemplateListSearch; onSearch: (search: { name?: string | undefined }) => void }) {
  const { name } = props.search
  const templates = useQuery({
    ...templateListQuery(props.search),
    placeholderData: (old) => old,
  })
  const [renamed, setRenamed] = useState<Template | null>(null)
  const [deleted, setDeleted] = useState<Template | null>(null)
  const rename = useCallMutation(updateTemplate, { handles: (error) => error.field !== undefined })
  const clear = useCallMutation(clearTemplate, {
    onSuccess: () => {
      setDeleted(null)
      toast.success('模板已删除')
    },
  })
  return (
    <section id="set-templates" className="ui-card ui-stack" aria-label="模板">
      <div className={styles.head}>
        <h2>模板</h2>
        <p>
          确认过列的用途的工资表都会被记住，下次同样表头的表自动套用，不用再指定。分组、名称和说明也记在里面，在第 3
          步「排版」里调整。
        </p>
      </div>
      {(name || (templates.data?.page.total ?? 0) > searchThreshold) && (
        <SearchBox value={name} onSearch={(text) => props.onSearch({ name: text })} placeholder="搜索模板名称" />
      )}
      <DataTable<Template>
        requested={templates}
        columns={createColumns({ onRename: setRenamed, onDelete: setDeleted })}
        rowKey="template_id"
        unit="个"
        label="模板"
        empty={{ text: name ? `没有叫「${name}」的模板` : '还没有模板。发一次工资条，就会记住那份表的列和排版。' }}
      />
      <FormDialog<{ name: string }>
        open={renamed !== null}
        title={renamed?.name === null ? '给模板起个名字' : '模板改名'}
        action="保存名称"
        initial={{ name: renamed?.name ?? renamed?.title ?? '' }}
        onSubmit={async (values) => {
          if (renamed) await rename.mutateAsync({ template_id: renamed.template_id, name: values.name })
          toast.success(`已改为「${values.name}」`)
        }}
        onClose={() => setRenamed(null)}
      >
        <FormField name="name" label="模板名称" required="请填写模板名称" maxLength={40} />
      </FormDialog>
      <ConfirmDialog
        open={deleted !== null}
        title={deleted ? `删除模板「${formatTemplateName(deleted)}」？` : ''}
        action="删除模板"
        danger
        busy={clear.isPending}
        onConfirm={() => deleted && clear.mutate({ template_id: deleted.template_id })}
        onClose={() => setDeleted(null)}
      >
        <p>下次上传同样表头的工资表，要重新确认列的用途和排版。已经用它做好的工资条不受影响。</p>
      </ConfirmDialog>
    </section>
  )
}
