import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { getJoinQrCode, resetQrCode } from '../../../server/contract/invites/invite.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { ConfirmDialog, Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatDate } from '../../components/value/dates.ts'
import styles from '../directory/member.module.css'

/** The company's join code, to be displayed at the workplace. Mounted only while open. */
export function JoinQrDialog({ onClose }: { onClose: () => void }) {
  const joinCode = useQuery(callQuery(getJoinQrCode, {}))
  const [isConfirmOpen, setConfirmOpen] = useState(false)
  const reset = useCallMutation(resetQrCode, {
    onSuccess: () => {
      toast.success('已换成新的二维码，旧的已失效')
      setConfirmOpen(false)
    },
  })
  const imageUrl = joinCode.data && `data:image/svg+xml,${encodeURIComponent(joinCode.data.svg)}`
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(joinCode.data?.url ?? '')
      toast.brief('链接已复制')
    } catch {
      toast.info('浏览器不允许复制，请选中链接后手动复制')
    }
  }
  return (
    <>
      <Dialog open={!isConfirmOpen} title="邀请二维码" onClose={onClose} result={{ text: '关闭', onPress: onClose }}>
        {!joinCode.data &&
          (joinCode.error ? <ErrorState error={joinCode.error} retry={() => void joinCode.refetch()} /> : <Skeleton />)}
        {joinCode.data && (
          <div className={styles.qr}>
            <img src={imageUrl} alt="加入企业的二维码" width={220} height={220} />
            <div>
              <p>
                员工用手机扫码，验证手机号后加入。手机号在花名册中的直接加入；不在的，会出现在您的「待办」里，核对本人后同意或拒绝。
              </p>
              <p className="ui-hint">有效期至 {formatDate(joinCode.data.expires_at)}。二维码外传也不会让陌生人看到任何数据。</p>
              <code>{joinCode.data.url}</code>
            </div>
            <div className={`ui-row ${styles.qrActs}`}>
              <Button icon={<Icon name="copy" />} onClick={() => void copy()}>
                复制链接
              </Button>
              <Button icon={<Icon name="download" />} href={imageUrl} download="薪函加入二维码.svg">
                下载图片
              </Button>
              <ActionButton
                icon={<Icon name="retry" />}
                allowed={joinCode.data.can_reset || '二维码对全公司有效，您只管理部分部门；请联系管理全公司的员工管理员'}
                onClick={() => setConfirmOpen(true)}
              >
                重新生成
              </ActionButton>
            </div>
          </div>
        )}
      </Dialog>
      <ConfirmDialog
        open={isConfirmOpen}
        title="重新生成二维码？"
        action="重新生成"
        danger
        busy={reset.isPending}
        onConfirm={() => reset.mutate({})}
        onClose={() => setConfirmOpen(false)}
      >
        现在的二维码和链接立即失效，已经张贴或转发的需要换成新的。已经加入的员工不受影响。
      </ConfirmDialog>
    </>
  )
}
