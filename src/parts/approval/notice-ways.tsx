import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getNoticeSetting, saveNoticeSetting } from '../../../server/contract/account/profile.ts'
import type { OutputOf } from '../../../server/contract/call.ts'
import { noticeKindWords } from '../../../server/contract/people/notices.ts'
import { query, useCall } from '../../api.ts'
import { CheckBox } from '../../ui/form/fields.tsx'
import { Dialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import styles from './approval.module.css'

type Setting = OutputOf<typeof getNoticeSetting>
type Way = Setting['list'][number]
type WayName = 'chat' | 'mail'
const wayWords: Readonly<Record<WayName, string>> = { chat: '办公平台', mail: '邮件' }

const about: Readonly<Record<Way['kind'], string>> = {
  failed: '有人没有收到工资条',
  sent: '一批工资条发送完成',
  feedback: '员工提出疑问',
  unviewed: '还有多少人没查看、没确认',
  approval: '有申请等您审批，或您的申请有了结果',
  join: '有人扫码申请加入',
  phone: '员工的登录手机号变了',
  role: '您的权限或管理范围变了',
  security: '有人冒用您的登录（夜间也会通知）',
  service: '版本快到期、短信快用完',
}

/** How I hear of what happened beside this page: a row a kind, a column a way. */
export function NoticeWays({ onClose }: { onClose: () => void }) {
  const asked = useQuery(query(getNoticeSetting, {}))
  const [chosen, setChosen] = useState<readonly Way[]>()
  const save = useCall(saveNoticeSetting, {
    onSuccess: () => {
      toast.done('通知方式已保存')
      onClose()
    },
  })
  const setting = asked.data
  const list = chosen ?? setting?.list ?? []
  const hasWay = setting && (setting.no_chat === null || setting.no_mail === null)
  return (
    <Dialog
      open
      title="通知方式"
      {...(hasWay ? { action: '保存', onConfirm: () => save.mutate({ list: [...list] }) } : {})}
      busy={save.isPending}
      onClose={onClose}
    >
      {setting ? (
        <Ways setting={setting} list={list} onChange={setChosen} />
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={6} />
      )}
    </Dialog>
  )
}

type WaysProps = { setting: Setting; list: readonly Way[]; onChange: (list: Way[]) => void }
function Ways({ setting: { no_chat, no_mail }, list, onChange }: WaysProps) {
  const has = { chat: no_chat === null, mail: no_mail === null }
  const turn = (kind: Way['kind'], way: WayName, on: boolean) =>
    onChange(list.map((one) => (one.kind === kind ? { ...one, [way]: on } : one)))
  return (
    <>
      <p className="ui-hint">
        所有通知都会留在这里。一分钟内没有看，再按下面的选择告诉您：几条合成一条，不写姓名、标题和金额；晚九点到早八点不打扰。
      </p>
      <table className={styles.noticeWays}>
        <thead>
          <tr>
            <th scope="col">类型</th>
            <th scope="col">{wayWords.chat}</th>
            <th scope="col">{wayWords.mail}</th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ kind, ...ways }) => (
            <tr key={kind}>
              <th scope="row">
                {noticeKindWords[kind]}
                <small className="ui-hint">{about[kind]}</small>
              </th>
              {(['chat', 'mail'] as const).map((way) => (
                <td key={way}>
                  <CheckBox disabled={!has[way]} checked={has[way] && ways[way]} onChange={(on) => turn(kind, way, on)}>
                    <span className="sr-only">{`${noticeKindWords[kind]}：${wayWords[way]}`}</span>
                  </CheckBox>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {no_chat && <p className="ui-hint">{`办公平台：${no_chat}`}</p>}
      {no_mail && <p className="ui-hint">{`邮件：${no_mail}`}</p>}
    </>
  )
}
