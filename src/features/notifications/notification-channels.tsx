import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getNotificationSettings, saveNotificationSettings } from '../../../server/contract/auth/profile.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { notificationLabels } from '../../../server/contract/notifications/kinds.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { CheckboxField } from '../../components/form/fields.tsx'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import styles from '../approvals/approval.module.css'

type NotificationSettings = CallOutput<typeof getNotificationSettings>
type KindSetting = NotificationSettings['list'][number]
type NotificationChannel = 'chat' | 'mail'
const notificationChannelLabels: Readonly<Record<NotificationChannel, string>> = { chat: '办公平台', mail: '邮件' }

const kindDescriptions: Readonly<Record<KindSetting['kind'], string>> = {
  failed: '有人没有收到工资条',
  sent: '一批工资条发送完成',
  feedback: '员工反馈',
  unviewed: '还有多少人没查看、没确认',
  approval: '有申请等您审批，或您的申请有了结果',
  join: '有人扫码申请加入',
  phone: '员工的登录手机号变了',
  role: '您的权限或管理范围变了',
  security: '有人冒用您的登录（夜间也会通知）',
  service: '版本快到期、短信快用完',
}

/** The notification settings other than this page: one row per kind, one column per channel. */
export function NotificationChannels({ onClose }: { onClose: () => void }) {
  const settings = useQuery(callQuery(getNotificationSettings, {}))
  const [editedList, setEditedList] = useState<readonly KindSetting[]>()
  const save = useCallMutation(saveNotificationSettings, {
    onSuccess: () => {
      toast.success('通知方式已保存')
      onClose()
    },
  })
  const setting = settings.data
  const list = editedList ?? setting?.list ?? []
  const hasChannel = setting && (setting.chat_disabled_reason === null || setting.mail_disabled_reason === null)
  return (
    <Dialog
      open
      title="通知方式"
      {...(hasChannel ? { action: '保存', onConfirm: () => save.mutate({ list: [...list] }) } : {})}
      busy={save.isPending}
      onClose={onClose}
    >
      {setting ? (
        <ChannelTable setting={setting} list={list} onChange={setEditedList} />
      ) : settings.error ? (
        <ErrorState error={settings.error} retry={() => void settings.refetch()} />
      ) : (
        <Skeleton rows={6} />
      )}
    </Dialog>
  )
}

type ChannelTableProps = { setting: NotificationSettings; list: readonly KindSetting[]; onChange: (list: KindSetting[]) => void }
function ChannelTable({ setting: { chat_disabled_reason, mail_disabled_reason }, list, onChange }: ChannelTableProps) {
  const isAvailable = { chat: chat_disabled_reason === null, mail: mail_disabled_reason === null }
  const toggleChannel = (kind: KindSetting['kind'], channel: NotificationChannel, isOn: boolean) =>
    onChange(list.map((item) => (item.kind === kind ? { ...item, [channel]: isOn } : item)))
  return (
    <>
      <p className="ui-hint">
        所有通知都会留在这里。一分钟内没有看，再按下面的选择告诉您：几条合成一条，不写姓名、标题和金额；晚九点到早八点不打扰。
      </p>
      <table className={styles.noticeWays}>
        <thead>
          <tr>
            <th scope="col">类型</th>
            <th scope="col">{notificationChannelLabels.chat}</th>
            <th scope="col">{notificationChannelLabels.mail}</th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ kind, ...channels }) => (
            <tr key={kind}>
              <th scope="row">
                {notificationLabels[kind]}
                <small className="ui-hint">{kindDescriptions[kind]}</small>
              </th>
              {(['chat', 'mail'] as const).map((channel) => (
                <td key={channel}>
                  <CheckboxField
                    disabled={!isAvailable[channel]}
                    checked={isAvailable[channel] && channels[channel]}
                    onChange={(isOn) => toggleChannel(kind, channel, isOn)}
                  >
                    <span className="sr-only">{`${notificationLabels[kind]}：${notificationChannelLabels[channel]}`}</span>
                  </CheckboxField>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {chat_disabled_reason && <p className="ui-hint">{`办公平台：${chat_disabled_reason}`}</p>}
      {mail_disabled_reason && <p className="ui-hint">{`邮件：${mail_disabled_reason}`}</p>}
    </>
  )
}
