import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button, Checkbox, Input } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getLayout } from '../../../../server/contract/sheet/sheet.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import styles from '../../../parts/arrange/arrange.module.css'
import { ArrangeGroups } from '../../../parts/arrange/arrange-groups.tsx'
import { PhonePreview } from '../../../parts/arrange/phone-preview.tsx'
import { SaveTemplate } from '../../../parts/arrange/template/save-template.tsx'
import { TakeTemplate } from '../../../parts/arrange/template/take-template.tsx'
import { useLayoutDraft } from '../../../parts/arrange/use-layout.ts'
import { Overtaken } from '../../../parts/sheet/overtaken.tsx'
import { type BatchSearch, batchOf } from '../../../parts/sheet/search.ts'
import sendStyles from '../../../parts/sheet/send.module.css'
import { sheetQuery, useSheet, WithBatch, WizardPage } from '../../../parts/sheet/wizard.tsx'
import { columnName } from '../../../parts/sheet/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'

const rowOf = (value: unknown) => (Number.isInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined)

// No old answer may begin it: columns may have changed in step 1.
const layoutQuery = (batch_id: string) => ({ ...query(getLayout, { batch_id }), gcTime: 0 })

export const Route = createFileRoute('/_desk/_send/wageSend2')({
  staticData: { title: '排版工资条', section: 'wage', who: holders('2') },
  validateSearch: (raw): BatchSearch & { row?: number | undefined } => ({ ...batchOf(raw), row: rowOf(raw.row) }),
  loader: ({ route, location }) =>
    first(route, () => {
      const { batch_id } = batchOf(location.search)
      return batch_id && [begin(sheetQuery(batch_id)), begin(layoutQuery(batch_id))]
    }),
  component: WageSend2,
})

const title = '排版'

/** Step 3: what the employee sees, in which order, with the slip beside it. */
function WageSend2() {
  const { batch_id } = Route.useSearch()
  return (
    <WithBatch step={2} title={title} batch_id={batch_id}>
      {(id) => <Loaded key={id} batch_id={id} />}
    </WithBatch>
  )
}

function Loaded({ batch_id }: { batch_id: string }) {
  // What is on the page is the page's own while one arranges; the answer only begins it, and keeps the groups.
  const asked = useQuery({ ...layoutQuery(batch_id), refetchOnWindowFocus: false })
  // A template that was taken over is another beginning.
  const [beginning, setBeginning] = useState(0)
  const anew = async () => {
    await asked.refetch()
    setBeginning((times) => times + 1)
  }
  if (asked.data) return <Page key={beginning} batch_id={batch_id} layout={asked.data} anew={() => void anew()} />
  return (
    <WizardPage step={2} batch_id={batch_id} title={title}>
      {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={10} />}
    </WizardPage>
  )
}

const savingWords = {
  saved: { word: '已保存', tone: 'ok' },
  waiting: { word: '正在保存…', tone: 'ink3' },
  failed: { word: '没有保存上', tone: 'danger' },
  overtaken: { word: '没有保存', tone: 'warn' },
} as const

const Saving = ({ saving, again }: { saving: keyof typeof savingWords; again: () => void }) => (
  <span className="ui-grow ui-row" role="status">
    <StatusDot {...savingWords[saving]} />
    {saving === 'failed' && (
      <Button size="small" onClick={again}>
        重试
      </Button>
    )}
  </span>
)

function Page(props: { batch_id: string; layout: OutputOf<typeof getLayout>; anew: () => void }) {
  const { batch_id, layout } = props
  const { row } = Route.useSearch()
  const navigate = useNavigate()
  const sheet = useSheet(batch_id).data
  const { draft, edit, flush, saving, inTurn, overtaken, insist, letGo } = useLayoutDraft(batch_id, layout)
  const labels = useMemo(() => new Map(sheet?.columns.map((one) => [one.key, columnName(one)])), [sheet?.columns])
  const onRow = useCallback(
    (next: number) => void navigate({ to: '/wageSend2', search: { batch_id, row: next }, replace: true }),
    [navigate, batch_id],
  )
  const [dialog, setDialog] = useState<'take' | 'save' | null>(null)
  const next = async () => {
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
          <Button disabled={!sheet} onClick={() => void flush().then((done) => done && setDialog('save'))}>
            存为模板
          </Button>
        </>
      }
      foot={
        <>
          <Saving saving={saving} again={() => void flush()} />
          <Button type="primary" size="large" onClick={() => void next()}>
            选择发给谁、怎么发
          </Button>
        </>
      }
    >
      {overtaken && (
        <Overtaken
          why={overtaken}
          what="排版"
          onTheirs={() => {
            letGo()
            props.anew()
          }}
          onMine={() => void insist()}
        />
      )}
      <div className={styles.page}>
        <div className="ui-stack">
          <p className="ui-hint">
            勾选的列员工能看到。拖动左边的点来排列，整组也可以拖；用键盘时按 Alt 加上下键。点名称可以改名，不影响原表。
          </p>
          <ArrangeGroups
            batch_id={batch_id}
            groups={layout.groups}
            list={draft.sort_list}
            net={sheet?.columns.find(({ role }) => role === 'net')?.key}
            original={(key) => labels.get(key) ?? key}
            onList={(sort_list) => edit({ sort_list })}
            flush={flush}
            inTurn={inTurn}
          />
          <WholeSlip draft={draft} edit={edit} />
        </div>
        <PhonePreview batch_id={batch_id} row={row} onRow={onRow} />
      </div>
      <TakeTemplate
        open={dialog === 'take'}
        batch_id={batch_id}
        flush={flush}
        onTaken={props.anew}
        onClose={() => setDialog(null)}
      />
      {sheet && <SaveTemplate open={dialog === 'save'} sheet={sheet} onClose={() => setDialog(null)} />}
    </WizardPage>
  )
}

/** What holds for the whole slip. */
function WholeSlip({ draft, edit }: Pick<ReturnType<typeof useLayoutDraft>, 'draft' | 'edit'>) {
  return (
    <section className="ui-card ui-stack" aria-label="全部工资条">
      <Checkbox checked={draft.hide_empty} onChange={(event) => edit({ hide_empty: event.target.checked })}>
        空着的项目不显示
      </Checkbox>
      <Checkbox checked={draft.hide_zero} onChange={(event) => edit({ hide_zero: event.target.checked })}>
        金额为 0 的项目不显示
      </Checkbox>
      <div className={styles.sendHint}>
        <label htmlFor="send-hint" className="ui-label">
          给全体员工的话
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
