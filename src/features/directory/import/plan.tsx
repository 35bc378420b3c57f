import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button, Checkbox, Radio } from 'antd'
import { useState } from 'react'
import {
  answerImport,
  getImportRows,
  type ImportInfo,
  type ImportWithSheets,
  uploadMembers,
} from '../../../../server/contract/directory/import.ts'
import { sendInviteCode } from '../../../../server/contract/invites/invite.ts'
import { type ImportRowState, importRowStates } from '../../../../server/contract/shared/enums.ts'
import { callApi, callQuery, createIdempotencyKey, refreshQueries, useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import type { PageParams } from '../../../components/search-params.ts'
import { DataTable } from '../../../components/table/data-table.tsx'
import sendStyles from '../../sheets/send.module.css'
import { DownloadErrorsButton } from './download-errors.tsx'
import { SheetSelection } from './file-sheets.tsx'
import styles from './import.module.css'
import { countAffectedMembers, type ImportMode, importStateLabels } from './labels.ts'
import { createRowColumns } from './row-columns.tsx'
import { StatusWordQuestions } from './status-words.tsx'

type ImportSearch = PageParams & { state?: ImportRowState | undefined; batch?: string | undefined }

/** The plan of an import: counts that filter, old and new values row by row, questions, and options. */
export function ImportPlan({ info, search, onInvited }: { info: ImportWithSheets; search: ImportSearch; onInvited: () => void }) {
  const { import_id, counts } = info
  const navigate = useNavigate()
  const state = search.state && counts[search.state] > 0 ? search.state : undefined
  const rows = useQuery(callQuery(getImportRows, { import_id, state, page: search.page, pagesize: search.pagesize }))
  const answer = useCallMutation(answerImport)
  const filter = (next: ImportRowState | null) =>
    void navigate({ to: '/companyMember', search: { view: 'import', batch: search.batch, state: next ?? undefined } })
  const statistics = importRowStates
    .filter((rowState) => counts[rowState] > 0)
    .map((rowState) => ({
      key: rowState,
      label: importStateLabels[rowState].label,
      value: counts[rowState].toLocaleString('zh-CN'),
      color: importStateLabels[rowState].color,
      note: importStateLabels[rowState].note,
    }))
  return (
    <>
      {info.stage === 'applying' && (
        <div className={sendStyles.wrong} role="alert">
          <p>上次导入中断了，花名册没有任何改变。可以重新导入。</p>
        </div>
      )}
      <SheetSelection info={info} />
      <StatisticCards items={statistics} selected={state ?? null} onChoose={filter} />
      <StatusWordQuestions info={info} />
      <ImportNotes info={info} />
      <section className="ui-card" aria-label="每一行">
        {state === 'conflict' && (
          <div className={styles.all}>
            <p>这些行要您确认，不处理就不会导入。</p>
            <Button disabled={answer.isPending} onClick={() => answer.mutate({ import_id, answers: [], all: 'new' })}>
              能新建的全部按新员工
            </Button>
            <Button disabled={answer.isPending} onClick={() => answer.mutate({ import_id, answers: [], all: 'skip' })}>
              全部跳过
            </Button>
          </div>
        )}
        <DataTable
          requested={rows}
          columns={createRowColumns(
            (row, choice, member_id) =>
              answer.mutate({ import_id, answers: [{ row, take: choice, ...(member_id ? { member_id } : {}) }] }),
            rows.data?.list.some(({ sheet }) => sheet !== null) ?? false,
          )}
          rowKey="row"
          unit="行"
          label="每一行"
          empty={{ illustration: 'people', text: '这份花名册里没有人。' }}
        />
      </section>
      <ApplyImport info={info} onInvited={onInvited} />
    </>
  )
}

/** Further notes before the import is applied. */
function ImportNotes({ info }: { info: ImportInfo }) {
  const { departments_new, departments_count, phones_changed, uses_saved_mapping } = info
  const rest = departments_count - departments_new.length
  const sentences = getNoteSentences(info)
  if (departments_count === 0 && phones_changed === 0 && !uses_saved_mapping && sentences.length === 0) return null
  return (
    <section className={`ui-card ${styles.notes}`} aria-label="导入前请留意">
      {departments_count > 0 && (
        <details>
          <summary>会新建 {departments_count.toLocaleString('zh-CN')} 个部门</summary>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long ones scroll, by the keyboard too */}
          <ul tabIndex={0} aria-label="会新建的部门">
            {departments_new.map((path) => (
              <li key={path}>{path}</li>
            ))}
            {rest > 0 && <li>等 {departments_count.toLocaleString('zh-CN')} 个</li>}
          </ul>
        </details>
      )}
      {phones_changed > 0 && (
        <p>
          {phones_changed.toLocaleString('zh-CN')}{' '}
          人会换手机号。加入过企业或有工资条的员工，换号后要由本人或第二位管理员确认，确认前看不到也收不到工资条。
        </p>
      )}
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {uses_saved_mapping && <p>列对应按您上次的选择识别。</p>}
    </section>
  )
}

/** Returns notes about data that is imported differently from how it is written, or not at all. */
function getNoteSentences({ without_phone, shared_phones, documents, entry_months, entries_lost }: ImportInfo): string[] {
  const documentTexts = documents.map(({ kind, count }) => `${kind} ${formatCount(count)} 人`).join('、')
  return [
    without_phone > 0 &&
      `${formatCount(without_phone)} 人没有手机号，照样导入。他们不能登录，收不到短信和邮件；工资条请打印，或等补填本人的手机号后再发。`,
    shared_phones > 0 &&
      `${formatCount(shared_phones)} 人的手机号还写给了别人。一个手机号只能打开一个人的工资条，所以不登记在这些人名下；请补填本人的手机号。`,
    documentTexts !== '' && `证件不是居民身份证的：${documentTexts}。`,
    entry_months > 0 && `${formatCount(entry_months)} 人的入职日期只写了年月，按当月 1 日登记。`,
    entries_lost > 0 &&
      `${formatCount(entries_lost)} 人的入职日期没有导入：2020.1 这样的写法分不清是 1 月还是 10 月，请写成 2020-01。`,
  ].filter((sentence) => sentence !== false)
}

/** The import options and the apply button with the number of members. */
function ApplyImport({ info, onInvited }: { info: ImportInfo; onInvited: () => void }) {
  const { import_id, counts } = info
  const [key] = useState(createIdempotencyKey)
  const [mode, setMode] = useState<ImportMode>('update')
  const [isAllOrNothing, setAllOrNothing] = useState(false)
  const [sendsInvites, setSendsInvites] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const terminationCount = mode === 'update' ? counts.leaves : 0
  const apply = useCallMutation(uploadMembers, {
    key,
    onSuccess: ({ created, updated, terminated }) => {
      toast.success(`已导入：新增 ${created} 人，更新 ${updated} 人${terminated > 0 ? `，离职 ${terminated} 人` : ''}`)
      if (sendsInvites && created > 0) void sendInvites(import_id, onInvited)
    },
    // The list is also refreshed after an error, because the server has recalculated the outcome of each row.
    onSettled: () => void refreshQueries(),
  })
  const count = countAffectedMembers(info, mode)
  const unresolvedCount = counts.conflict + counts.fault
  return (
    <section className={`ui-card ${styles.carry}`} aria-label="怎样导入">
      <div className={styles.options}>
        {counts.changed + counts.leaves > 0 && (
          <Radio.Group
            aria-label="已有的员工"
            value={mode}
            onChange={(event) => setMode(event.target.value === 'skip' ? 'skip' : 'update')}
            options={[
              { value: 'update', label: '更新已有的员工' },
              { value: 'skip', label: '已有的员工保持不变' },
            ]}
          />
        )}
        {unresolvedCount > 0 && (
          <Checkbox checked={isAllOrNothing} onChange={(event) => setAllOrNothing(event.target.checked)}>
            全部成功才导入
          </Checkbox>
        )}
        {counts.new + counts.back > 0 && (
          <Checkbox checked={sendsInvites} onChange={(event) => setSendsInvites(event.target.checked)}>
            导入后立即发送邀请
          </Checkbox>
        )}
      </div>
      <div className="ui-row">
        {unresolvedCount > 0 && <DownloadErrorsButton import_id={import_id} rows={unresolvedCount} />}
        <ActionButton
          type="primary"
          size="large"
          loading={apply.isPending}
          allowed={
            count === 0
              ? '没有要导入的变化'
              : isAllOrNothing && unresolvedCount > 0
                ? `还有 ${unresolvedCount} 行有问题或待确认，请先解决，或取消「全部成功才导入」`
                : true
          }
          onClick={() =>
            terminationCount > confirmThreshold
              ? setIsAsking(true)
              : apply.mutate({ import_id, mode, all_or_nothing: isAllOrNothing })
          }
        >
          {unresolvedCount > 0 && count > 0
            ? `导入 ${formatCount(count)} 人，${formatCount(unresolvedCount)} 行不导入`
            : `导入 ${formatCount(count)} 人`}
        </ActionButton>
      </div>
      <ConfirmDialog
        open={isAsking}
        danger
        title={`把 ${formatCount(terminationCount)} 人标记为离职？`}
        action={`确认 ${formatCount(terminationCount)} 人离职并导入`}
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false)
          apply.mutate({ import_id, mode, all_or_nothing: isAllOrNothing, leaving: terminationCount })
        }}
      >
        <p className={styles.names}>
          {info.leaving.join('、')}
          {terminationCount > info.leaving.length && ` 等 ${formatCount(terminationCount)} 人`}
        </p>
        <p>他们将立即退出登录，以后的工资表里再出现时会提醒您。导入后一天内可以整体撤销。</p>
      </ConfirmDialog>
    </section>
  )
}

/** Up to this many terminations need no further confirmation. */
const confirmThreshold = 3
const formatCount = (count: number): string => count.toLocaleString('zh-CN')

/** The members are imported; failed invites do not undo that. */
async function sendInvites(import_id: string, onInvited: () => void): Promise<void> {
  try {
    const { queued } = await callApi(sendInviteCode, { import_id })
    onInvited()
    toast.success(`已安排邀请 ${queued.platform + queued.sms} 人`)
  } catch (error) {
    toast.error(`员工已经导入，但邀请没有发出：${error instanceof Error ? error.message : '请重试'}`, '失败')
  }
}
