import { Button } from 'antd'
import { useState } from 'react'
import { type getProfile, setAvatar, setProfile } from '../../../../server/contract/auth/profile.ts'
import type { CallOutput, CallRequest } from '../../../../server/contract/call.ts'
import { useCallMutation } from '../../../api.ts'
import { Avatar } from '../../../app/desktop/avatar.tsx'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { FormDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { PictureButtons } from '../../company/picture/picture-buttons.tsx'
import { renderAvatar } from '../../company/picture/render.ts'
import styles from './account.module.css'

type Profile = CallOutput<typeof getProfile>

/** Picture and display name of the current user. The name on payslips comes from the roster and does not change. */
export function ProfileIdentity({ profile }: { profile: Profile }) {
  const [isNameDialogOpen, setNameDialogOpen] = useState(false)
  const displayName = profile.display_name || profile.name
  return (
    <section className={`ui-card ${styles.card}`} aria-labelledby="account-identity">
      <h2 id="account-identity">个人资料</h2>
      <div className={styles.row}>
        <Avatar name={displayName} logo={profile.avatar} size={64} />
        <div className="ui-grow">
          <strong>头像</strong>
          <p className="ui-hint">JPG 或 PNG，取中间的正方形</p>
        </div>
        <AvatarButtons has={profile.avatar !== null} />
      </div>
      <div className={styles.row}>
        <div className="ui-grow">
          <strong>显示名称</strong>
          <p className={styles.value}>{displayName}</p>
          <p className="ui-hint">
            {profile.display_name ? `花名册姓名：${profile.name}。` : ''}
            只改变页面右上角的称呼；工资条上的姓名以花名册为准。
          </p>
        </div>
        <Button onClick={() => setNameDialogOpen(true)}>修改</Button>
      </div>
      <NameDialog open={isNameDialogOpen} profile={profile} onClose={() => setNameDialogOpen(false)} />
    </section>
  )
}

function AvatarButtons({ has }: { has: boolean }) {
  const save = useCallMutation(setAvatar, { onSuccess: ({ avatar }) => toast.success(avatar ? '头像已更新' : '头像已移除') })
  return (
    <PictureButtons
      label="头像"
      hasPicture={has}
      busy={save.isPending}
      renderFile={renderAvatar}
      onRendered={save.mutate}
      onRemove={() => save.mutate({})}
    />
  )
}

function NameDialog({ open, profile, onClose }: { open: boolean; profile: Profile; onClose: () => void }) {
  const save = useCallMutation(setProfile, {
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.success('显示名称已更新'),
  })
  return (
    <FormDialog<CallRequest<typeof setProfile>>
      open={open}
      title="修改显示名称"
      action="保存"
      initial={{ display_name: profile.display_name }}
      onSubmit={save.mutateAsync}
      onClose={onClose}
    >
      <FormField
        name="display_name"
        label="显示名称"
        help={`留空则显示花名册姓名「${profile.name}」`}
        maxLength={20}
        autoFocus
        autoComplete="nickname"
        placeholder={profile.name}
      />
    </FormDialog>
  )
}
