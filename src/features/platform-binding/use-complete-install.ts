import { useEffect, useRef } from 'react'
import { finishInstall } from '../../../server/contract/platform-binding/install.ts'
import { useCallMutation } from '../../api.ts'
import { toast } from '../../components/overlay/toast.ts'

/** Parses the return from the platform's page; null for other users. Each platform names the code parameter differently. */
function parseInstallReturn(search: string): { state: string; code: string | null } | null {
  const params = new URLSearchParams(search)
  const state = params.get('state')
  if (!state) return null
  return { state, code: params.get('auth_code') ?? params.get('code') ?? params.get('authCode') }
}

/**
 * Completes an installation with the platform's code, which is valid once: it is sent once and removed from the address
 * at once. Returns whether the request is in flight.
 */
export function useCompleteInstall(onDone: () => void): boolean {
  const isStarted = useRef(false)
  const finish = useCallMutation(finishInstall, {
    onSuccess: ({ issues }) => {
      const missing = issues.length > 0 ? `，还有 ${issues.length} 项需要处理` : ''
      toast.success(`绑定成功，正在读取通讯录${missing}`)
      onDone()
    },
  })
  const { mutate } = finish
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    const returned = parseInstallReturn(location.search)
    if (!returned) return
    history.replaceState(history.state, '', location.pathname)
    if (returned.code) mutate({ state: returned.state, code: returned.code })
    else toast.error('没有完成授权，可以重新开始')
  }, [mutate])
  return finish.isPending
}
