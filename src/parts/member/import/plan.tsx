import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button, Checkbox, Radio } from 'antd'
import { useState } from 'react'
import {
  answerImport,
  getImportRows,
  type ImportInFile,
  type ImportInfo,
  uploadMembers,
} from '../../../../server/contract/people/import.ts'
import { sendInviteCode } from '../../../../server/contract/people/invite.ts'
import { type ImportState, importStates } from '../../../../server/contract/words/vocabulary.ts'
import { ask, askAnew, intent, query, useCall } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import type { PageSearch } from '../../../ui/search.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import sendStyles from '../../sheet/send.module.css'
import { DownloadFaults } from './faults.tsx'
import { FileSheets } from './file-sheets.tsx'
import styles from './import.module.css'
import { rowColumns } from './row-columns.tsx'
import { StatusWords } from './status-words.tsx'
import { type Mode, stateWords, touchedBy } from './words.ts'

type Search = PageSearch & { state?: ImportState | undefined }

/** What an import would do: figures that filter, row by row old and new, what is asked, how it is to be done. */
export function ImportPlan({ info, search, onInvited }: { info: ImportInFile; search: Search; onInvited: () => void }) {
  const { import_id, counts } = info
  const navigate = useNavigate()
  const state = search.state && counts[search.state] > 0 ? search.state : undefined
  const rows = useQuery(query(getImportRows, { import_id, state, page: search.page, pagesize: search.pagesize }))
  const answer = useCall(answerImport)
  const filter = (next: ImportState | null) =>
    void navigate({ to: '/companyMember', search: { view: 'import', state: next ?? undefined } })
  const figures = importStates
    .filter((one) => counts[one] > 0)
    .map((one) => ({
      key: one,
      label: stateWords[one].word,
      value: counts[one].toLocaleString('zh-CN'),
      tone: stateWords[one].tone,
      note: stateWords[one].note,
    }))
  return (
    <>
      {info.stage === 'applying' && (
        <div className={sendStyles.wrong} role="alert">
          <p>上次导入中断了，花名册没有任何改变。可以重新导入。</p>
        </div>
      )}
      <FileSheets info={info} />
      <Numbers items={figures} chosen={state ?? null} onChoose={filter} />
      <StatusWords info={info} />
      <Notes info={info} />
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
          asked={rows}
          columns={rowColumns(
            (row, take, member_id) => answer.mutate({ import_id, answers: [{ row, take, ...(member_id ? { member_id } : {}) }] }),
            rows.data?.list.some(({ sheet }) => sheet !== null) ?? false,
          )}
          rowKey="row"
          unit="行"
          label="每一行"
          empty={{ drawing: 'people', text: '这份花名册里没有人。' }}
        />
      </section>
      <Carry info={info} onInvited={onInvited} />
    </>
  )
}

/** What else is to be known before it is carried out. */
function Notes({ info }: { info: ImportInfo }) {
  const { departments_new, departments_count, phones_changed, remembered } = info
  const rest = departments_count - departments_new.length
  const sentences = noteSentences(info)
  if (departments_count === 0 && phones_changed === 0 && !remembered && sentences.length === 0) return null
  return (
    <section className={`ui-card ${styles.notes}`} aria-label="导入前请留意">
      {departments_count > 0 && (
        <details>
          <summary>将新建 {departments_count.toLocaleString('zh-CN')} 个部门</summary>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long ones scroll, by the keyboard too */}
          <ul tabIndex={0} aria-label="将新建的部门">
            {departments_new.map((way) => (
              <li key={way}>{way}</li>
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
      {remembered && <p>列的含义按您上次的选择识别。</p>}
    </section>
  )
}

/** What of the file is taken otherwise than it is written, or not at all. */
function noteSentences({ without_phone, shared_phones, documents, entry_months, entries_lost }: ImportInfo): string[] {
  const papers = documents.map(({ kind, count }) => `${kind} ${shown(count)} 人`).join('、')
  return [
    without_phone > 0 &&
      `${shown(without_phone)} 人没有手机号，照样导入。他们不能登录，收不到短信和邮件；工资条请打印，或等补填本人的手机号后再发。`,
    shared_phones > 0 &&
      `${shown(shared_phones)} 人的手机号还写给了别人。一个手机号只能打开一个人的工资条，所以不登记在这些人名下；请补填本人的手机号。`,
    papers !== '' && `证件不是居民身份证的：${papers}。`,
    entry_months > 0 && `${shown(entry_months)} 人的入职日期只写了年月，按当月 1 日登记。`,
    entries_lost > 0 && `${shown(entries_lost)} 人的入职日期没有导入：2020.1 这样的写法分不清是 1 月还是 10 月，请写成 2020-01。`,
  ].filter((sentence) => sentence !== false)
}

/** How it is to be done, and the act itself with its number. */
function Carry({ info, onInvited }: { info: ImportInfo; onInvited: () => void }) {
  const { import_id, counts } = info
  const [key] = useState(intent)
  const [mode, setMode] = useState<Mode>('update')
  const [whole, setWhole] = useState(false)
  const [invites, setInvites] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const leaving = mode === 'update' ? counts.leaves : 0
  const carry = useCall(uploadMembers, {
    key,
    onSuccess: ({ created, updated, left }) => {
      toast.done(`已导入：新增 ${created} 人，更新 ${updated} 人${left > 0 ? `，离职 ${left} 人` : ''}`)
      if (invites && created > 0) void invite(import_id, onInvited)
    },
    // Also where it was refused: what would become of each row was looked at anew.
    onSettled: () => void askAnew(),
  })
  const count = touchedBy(info, mode)
  const open = counts.conflict + counts.fault
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
        {open > 0 && (
          <Checkbox checked={whole} onChange={(event) => setWhole(event.target.checked)}>
            全部成功才导入
          </Checkbox>
        )}
        {counts.new + counts.back > 0 && (
          <Checkbox checked={invites} onChange={(event) => setInvites(event.target.checked)}>
            导入后立即发送邀请
          </Checkbox>
        )}
      </div>
      <div className="ui-row">
        {open > 0 && <DownloadFaults import_id={import_id} rows={open} />}
        <Act
          type="primary"
          size="large"
          loading={carry.isPending}
          verdict={
            count === 0
              ? '没有要导入的变化'
              : whole && open > 0
                ? `还有 ${open} 行有问题或待确认，请先解决，或取消「全部成功才导入」`
                : true
          }
          onClick={() => (leaving > few ? setIsAsking(true) : carry.mutate({ import_id, mode, whole }))}
        >
          {open > 0 && count > 0 ? `导入 ${shown(count)} 人，${shown(open)} 行不导入` : `导入 ${shown(count)} 人`}
        </Act>
      </div>
      <ConfirmDialog
        open={isAsking}
        danger
        title={`把 ${shown(leaving)} 人标记为离职？`}
        action={`确认 ${shown(leaving)} 人离职并导入`}
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false)
          carry.mutate({ import_id, mode, whole, leaving })
        }}
      >
        <p className={styles.names}>
          {info.leaving.join('、')}
          {leaving > info.leaving.length && ` 等 ${shown(leaving)} 人`}
        </p>
        <p>他们将立即退出登录，以后的工资表里再出现时会提醒您。导入后一天内可以整体撤销。</p>
      </ConfirmDialog>
    </section>
  )
}

/** So many may leave without being asked about once more. */
const few = 3
const shown = (count: number): string => count.toLocaleString('zh-CN')

/** The people are here; that they could not be invited takes nothing back. */
async function invite(import_id: string, onInvited: () => void): Promise<void> {
  try {
    const { queued } = await ask(sendInviteCode, { import_id })
    onInvited()
    toast.done(`已安排邀请 ${queued.platform + queued.sms} 人`)
  } catch (error) {
    toast.fail(`员工已经导入，但邀请没有发出：${error instanceof Error ? error.message : '请重试'}`, '失败')
  }
}
