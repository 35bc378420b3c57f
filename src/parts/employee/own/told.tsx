import { Link } from '@tanstack/react-router'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getToldList } from '../../../../server/contract/own/own.ts'
import type { Channel } from '../../../../server/contract/words/words.ts'
import { dayAndTime } from '../../../ui/value/dates.ts'
import styles from '../m.module.css'
import { OwnList, pageOf } from './pages.tsx'

type Told = OutputOf<typeof getToldList>['list'][number]
const words: Record<Told['about'], string> = {
  slip: '工资条已发放',
  corrected: '工资条已更正',
  remind: '提醒查看工资条',
  answered: '疑问已回复',
}
const ways: Record<Channel, string> = { platform: '办公平台', sms: '短信', email: '邮件', link: '薪函' }

const lineOf = (one: Told) => (
  <li key={one.told_id}>
    <span>
      <strong>{words[one.about]}</strong> {one.title}
      <small>
        {dayAndTime(one.at)} · {ways[one.channel]}
        {one.unsure && '，不确定是否送达'} · {one.read ? '已读' : '未读'}
        {one.slip_id === null && ' · 已撤回'}
      </small>
    </span>
    {one.slip_id !== null && (
      <Link
        className={`ui-button ${styles.button}`}
        to="/m/slip/$id"
        params={{ id: one.slip_id }}
        aria-label={`查看：${one.title}`}
      >
        查看
      </Link>
    )}
  </li>
)

/** What I was told about my slips, and whether I have read it. */
export const ToldSheet = ({ onClose }: { onClose: () => void }) => (
  <OwnList<Told>
    title="收到的通知"
    hint="公司发给您的工资条、更正、提醒和回复。"
    empty="还没有发给您的通知。"
    name="told"
    page={pageOf(getToldList)}
    onClose={onClose}
    line={lineOf}
  />
)
