import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button, InputNumber, Select } from 'antd'
import { useState } from 'react'
import { getMemberList } from '../../../../server/contract/directory/members.ts'
import { clearConfirmRule, clearSendRule, setConfirmRule, setSendRule } from '../../../../server/contract/payslips/send.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { LightForm } from '../../../components/form/light-form.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { FilterTag } from '../../../components/page/filter-tag.tsx'
import styles from './setting.module.css'
import { SettingRow } from './setting-row.tsx'

const maxReminderDay = 28

/** The days after sending on which employees who have not viewed their payslip are reminded. */
export function ReminderDays({ days, isReadOnly }: { days: readonly number[]; isReadOnly: boolean }) {
  const [day, setDay] = useState<number | null>(null)
  const add = useCallMutation(setConfirmRule, {
    onSuccess: (_, { remind_day }) => {
      toast.success(`已保存：发送后第 ${remind_day} 天提醒`)
      setDay(null)
    },
  })
  const clear = useCallMutation(clearConfirmRule, {
    onSuccess: (_, { remind_day }) => toast.success(`已移除：第 ${remind_day} 天不再提醒`),
  })
  const isDuplicate = day !== null && days.includes(day)
  return (
    <SettingRow
      id="remind-day"
      title="提醒日"
      meaning={
        days.length > 0
          ? '到了这些天还没有查看的员工，会再收到一次通知；查看过的不打扰。短信按条计费。'
          : '没有设置提醒日，系统不会自动提醒，您可以在工资条详情里手动提醒。'
      }
    >
      <div className={`${styles.tags} ${styles.wide}`}>
        {days.map((day) => (
          <FilterTag key={day} act="不再提醒" onRemove={isReadOnly ? undefined : () => clear.mutate({ remind_day: day })}>
            {`第 ${day} 天`}
          </FilterTag>
        ))}
        <LightForm className="ui-row" onSubmit={() => day !== null && !isDuplicate && add.mutate({ remind_day: day })}>
          <InputNumber
            id="remind-day"
            aria-describedby="remind-day-meaning"
            min={1}
            max={maxReminderDay}
            precision={0}
            placeholder={`1–${maxReminderDay}`}
            prefix="第"
            suffix="天"
            style={{ width: 120 }}
            value={day}
            onChange={setDay}
            status={isDuplicate ? 'error' : ''}
          />
          <Button htmlType="submit" loading={add.isPending} disabled={day === null || isDuplicate}>
            {isDuplicate ? '已经有了' : '添加'}
          </Button>
        </LightForm>
      </div>
    </SettingRow>
  )
}

/** The recipients of progress reports: members found by name. */
export function ReportRecipients({
  members,
  isReadOnly,
}: {
  members: readonly { member_id: string; name: string }[]
  isReadOnly: boolean
}) {
  const [name, setName] = useState('')
  const candidates = useQuery({
    ...callQuery(getMemberList, { ...(name ? { name } : {}), pagesize: 20 }),
    placeholderData: keepPreviousData,
    select: ({ list }) => list.filter(({ STATUS }) => STATUS !== 'left'),
  })
  const add = useCallMutation(setSendRule, { onSuccess: () => toast.success('已保存：提醒时会一起通知此人') })
  const clear = useCallMutation(clearSendRule, { onSuccess: () => toast.success('已移除：不再通知此人') })
  const existingIds = new Set(members.map(({ member_id }) => member_id))
  return (
    <SettingRow
      id="remind-member"
      title="提醒人"
      meaning="提醒日当天，这些人会收到一条汇总：还有多少人没有查看、没有确认。他们不会看到任何金额。"
    >
      <div className={`${styles.tags} ${styles.wide}`}>
        {members.map(({ member_id, name }) => (
          <FilterTag
            key={member_id}
            act="不再通知"
            onRemove={isReadOnly ? undefined : () => clear.mutate({ remind_member: member_id })}
          >
            {name}
          </FilterTag>
        ))}
        <Select<string>
          id="remind-member"
          aria-describedby="remind-member-meaning"
          showSearch={{ onSearch: (text) => setName(text.trim()), filterOption: false }}
          value={null}
          placeholder="按姓名添加"
          style={{ width: 200 }}
          loading={candidates.isFetching || add.isPending}
          notFoundContent={candidates.isPending ? '正在查找…' : '没有这个名字的人'}
          options={(candidates.data ?? [])
            .filter(({ ID }) => !existingIds.has(ID))
            .map(({ ID, NAME, DEPARTMENTS }) => ({
              value: ID,
              label: DEPARTMENTS[0] ? `${NAME}（${DEPARTMENTS[0].NAME}）` : NAME,
            }))}
          onSelect={(remind_member: string) => {
            setName('')
            add.mutate({ remind_member })
          }}
        />
      </div>
    </SettingRow>
  )
}
