import { Button, Radio } from 'antd'
import { useState } from 'react'
import { requirePowerAnywhere } from '../../../../server/contract/access/any-company.ts'
import { type CombineKind, combinePlatform } from '../../../../server/contract/platform-binding/binding.ts'
import { useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { useCanAccess } from '../../../session.ts'
import { combineReasonLabels, linkReasonLabels } from '../labels.ts'
import styles from './combine.module.css'
import { type CombinePair, formatMemberSummary, type PlatformUser, PlatformUserName } from './platform-user-name.tsx'
import type { PlatformUserView } from './use-platform-users.ts'

type PairRowProps = {
  kind: CombineKind
  pair: CombinePair
  view: PlatformUserView
  onDone: () => void
  onSearchRoster: (person: PlatformUser) => void
}

/** Both sides of a match in one row, with its actions. */
export function PairRow({ kind, pair, view, onDone, onSearchRoster }: PairRowProps) {
  const { platform_user: platformUser, reason, linked_by, candidates } = pair
  const [onlyCandidate] = candidates.length === 1 && kind === 'suggested' ? candidates : []
  const [selectedId, setSelectedId] = useState(onlyCandidate?.member_id)
  const decide = useCallMutation(combinePlatform, {
    onSuccess: ({ linked, created }) => {
      toast.success(linked ? '已对应' : created ? '已加入花名册' : '已忽略，可以在「已忽略」里找回')
      onDone()
    },
  })
  const decideFor = (member_id: string) =>
    decide.mutate({ decisions: [{ platform_user_id: platformUser.platform_user_id, member_id }] })
  const name = platformUser.name || platformUser.platform_user_id
  const isLinked = kind === 'same' || kind === 'left'
  // The candidates come from the roster.
  const canReadRoster = useCanAccess()(requirePowerAnywhere('1', '2', '3'))
  return (
    <li className={styles.pair}>
      <div>
        <small>平台</small>
        <PlatformUserName person={platformUser} visible={view} />
        {reason && <em>{combineReasonLabels[reason]}</em>}
        {linked_by && <em data-calm>{linkReasonLabels[linked_by]}</em>}
      </div>
      <div>
        <small>花名册</small>
        {candidates.length === 0 ? (
          <span>{view.state === 'told' ? '没有相同的人' : '还没有对应'}</span>
        ) : isLinked ? (
          candidates.map((candidate) => (
            <span key={candidate.member_id}>
              <strong>{candidate.name}</strong> {formatMemberSummary(candidate)}
            </span>
          ))
        ) : (
          <Radio.Group
            aria-label={`${name} 在花名册里是`}
            value={selectedId}
            onChange={(event) => setSelectedId(String(event.target.value))}
            options={candidates.map((candidate) => ({
              value: candidate.member_id,
              label: (
                <>
                  <strong>{candidate.name}</strong> <span>{formatMemberSummary(candidate)}</span>
                </>
              ),
            }))}
          />
        )}
      </div>
      {!isLinked && (
        <div className={`ui-row ${styles.acts}`}>
          {candidates.length > 0 && (
            <ActionButton
              type="primary"
              allowed={selectedId ? true : '请先选择花名册里的哪一位'}
              loading={decide.isPending}
              onClick={() => selectedId && decideFor(selectedId)}
            >
              是这个人
            </ActionButton>
          )}
          {canReadRoster && (
            <Button
              disabled={decide.isPending}
              aria-label={`从花名册选 ${name} 是谁`}
              onClick={() => onSearchRoster(platformUser)}
            >
              从花名册选
            </Button>
          )}
          {/* A member cannot be added without a name. */}
          {platformUser.name && (
            <Button disabled={decide.isPending} aria-label={`把 ${name} 加入花名册`} onClick={() => decideFor('create')}>
              加入花名册
            </Button>
          )}
          {kind !== 'ignored' && (
            <Button type="text" disabled={decide.isPending} aria-label={`忽略 ${name}`} onClick={() => decideFor('ignore')}>
              忽略
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
