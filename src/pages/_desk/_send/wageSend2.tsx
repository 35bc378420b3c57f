import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button, Checkbox, Input } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { isNet } from '../../../../server/contract/sheets/column-roles.ts'
import { getLayout } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../api.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import styles from '../../../features/sheets/arrange/arrange.module.css'
import { ArrangeGroups } from '../../../features/sheets/arrange/arrange-groups.tsx'
import { PhonePreview } from '../../../features/sheets/arrange/phone-preview.tsx'
import { ApplyTemplateDialog } from '../../../features/sheets/arrange/template/apply-template.tsx'
import { SaveTemplateDialog } from '../../../features/sheets/arrange/template/save-template.tsx'
import { useLayoutDraft } from '../../../features/sheets/arrange/use-layout.ts'
import { EditConflict } from '../../../features/sheets/edit-conflict.tsx'
import { getColumnName } from '../../../features/sheets/labels.ts'
import { type BatchSearch, parseBatchSearch } from '../../../features/sheets/search.ts'
import sendStyles from '../../../features/sheets/send.module.css'
import { RequireBatch, sheetQuery, useSheetQuery, WizardPage } from '../../../features/sheets/wizard.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const parseRow = (value: unknown) => (Number.isInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined)

// A cached response must not initialize the layout: columns may have changed in step 1.
const layoutQuery = (batch_id: string) => ({ ...callQuery(getLayout, { batch_id }), gcTime: 0 })

export const Route = createFileRoute('/_desk/_send/wageSend2')({
  staticData: { title: '排版工资条', section: 'wage', who: requirePower('2') },
  validateSearch: (raw): BatchSearch & { row?: number | undefined } => ({ ...parseBatchSearch(raw), row: parseRow(raw.row) }),
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { batch_id } = parseBatchSearch(location.search)
      return batch_id && [prefetchQuery(sheetQuery(batch_id)), prefetchQuery(layoutQuery(batch_id))]
    }),
  component: WageSend2,
})

const title = '排版'

/** Step 3: what the employee sees and in which order, with a payslip preview next to it. */
function WageSend2() {
  const { batch_id } = Route.useSearch()
  return (
    <RequireBatch step={2} title={title} batch_id={batch_id}>
      {(id) => <LayoutLoader key={id} batch_id={id} />}
    </RequireBatch>
  )
}

function LayoutLoader({ batch_id }: { batch_id: string }) {
  // The page owns the layout while the user edits it; the response only initializes it, and supplies the groups.
  const layout = useQuery({ ...layoutQuery(batch_id), refetchOnWindowFocus: false })
  // Applying a template initializes the page again.
  const [revision, setRevision] = useState(0)
  const reload = async () => {
    await layout.refetch()
    setRevision((previous) => previous + 1)
  }
  if (layout.data) return <LayoutContent key={revision} batch_id={batch_id} layout={layout.data} retry={() => void reload()} />
  return (
    <WizardPage step={2} batch_id={batch_id} title={title}>
      {layout.error ? <ErrorState error={layout.error} retry={() => void layout.refetch()} /> : <Skeleton rows={10} />}
    </WizardPage>
  )
}

const saveStatusLabels = {
  saved: { label: '已保存', color: 'ok' },
  waiting: { label: '正在保存…', color: 'ink3' },
  failed: { label: '没有保存上', color: 'danger' },
  overtaken: { label: '没有保存', color: 'warn' },
} as const

const SaveStatusNote = ({ saving: status, again: retry }: { saving: keyof typeof saveStatusLabels; again: () => void }) => (
  <span className="ui-grow ui-row" role="status">
    <StatusDot {...saveStatusLabels[status]} />
    {status === 'failed' && (
      <Button size="small" onClick={retry}>
        重试
      </Button>
    )}
  </span>
)

function LayoutContent(props: { batch_id: string; layout: CallOutput<typeof getLayout>; retry: () => void }) {
  const { batch_id, layout } = props
  const { row } = Route.useSearch()
  const navigate = useNavigate()
  const sheet = useSheetQuery(batch_id).data
  const {
    draft,
    edit,
    flush,
    saving: saveStatus,
    inSequence: runInOrder,
    overtaken: conflict,
    insist: overwrite,
    letGo: discard,
  } = useLayoutDraft(batch_id, layout)
  const labels = useMemo(() => new Map(sheet?.columns.map((column) => [column.key, getColumnName(column)])), [sheet?.columns])
  const onRow = useCallback(
    (saveAndContinue: number) => void navigate({ to: '/wageSend2', search: { batch_id, row: saveAndContinue }, replace: true }),
    [navigate, batch_id],
  )
  const [dialog, setDialog] = useState<'take' | 'save' | null>(null)
  const saveAndContinue = async () => {
    if (await flush()) await navigate({ to: '/wageSend3', search: { batch_id } })
  }
  return (
    <WizardPage
      step={2}
      batch_id={batch_id}
      title={title}
      note={<span className={sendStyles.file}>{layout.title}</span>}
      action={
        <>
          <Button onClick={() => setDialog('take')}>用模板</Button>
          <Button disabled={!sheet} onClick={() => void flush().then((isSaved) => isSaved && setDialog('save'))}>
            存为模板
          </Button>
        </>
      }
      foot={
        <>
          <SaveStatusNote saving={saveStatus} again={() => void flush()} />
          <Button type="primary" size="large" onClick={() => void saveAndContinue()}>
            下一步：发送设置
          </Button>
        </>
      }
    >
      {conflict && (
        <EditConflict
          why={conflict}
          what="排版"
          onTheirs={() => {
            discard()
            props.retry()
          }}
          onOwn={() => void overwrite()}
        />
      )}
      <div className={styles.page}>
        <div className="ui-stack">
          <p className="ui-hint">
            勾选的项目对员工可见；拖动左侧手柄排序，整组也可拖动，键盘用 Alt 加上下键。点名称可改名，不影响原表。
          </p>
          <ArrangeGroups
            batch_id={batch_id}
            groups={layout.groups}
            list={draft.sort_list}
            net={sheet?.columns.find(({ role }) => isNet(role))?.key}
            getOriginalName={(key) => labels.get(key) ?? key}
            onList={(sort_list) => edit({ sort_list })}
            flush={flush}
            runInOrder={runInOrder}
          />
          <PayslipOptions draft={draft} edit={edit} />
        </div>
        <PhonePreview batch_id={batch_id} row={row} onRow={onRow} />
      </div>
      <ApplyTemplateDialog
        open={dialog === 'take'}
        batch_id={batch_id}
        flush={flush}
        onAccepted={props.retry}
        onClose={() => setDialog(null)}
      />
      {sheet && <SaveTemplateDialog open={dialog === 'save'} sheet={sheet} onClose={() => setDialog(null)} />}
    </WizardPage>
  )
}

/** Options for the whole payslip. */
function PayslipOptions({ draft, edit }: Pick<ReturnType<typeof useLayoutDraft>, 'draft' | 'edit'>) {
  return (
    <section className="ui-card ui-stack" aria-label="全部工资条">
      <Checkbox checked={draft.hide_empty} onChange={(event) => edit({ hide_empty: event.target.checked })}>
        隐藏空项目
      </Checkbox>
      <Checkbox checked={draft.hide_zero} onChange={(event) => edit({ hide_zero: event.target.checked })}>
        隐藏金额为 0 的项目
      </Checkbox>
      <div className={styles.sendHint}>
        <label htmlFor="send-hint" className="ui-label">
          公司寄语
        </label>
        <Input.TextArea
          id="send-hint"
          value={draft.hint}
          maxLength={300}
          showCount
          autoSize={{ minRows: 2, maxRows: 6 }}
          placeholder="写在每张工资条最下面，如：如有疑问请在 3 天内反馈"
          onChange={(event) => edit({ hint: event.target.value })}
        />
      </div>
    </section>
  )
}
