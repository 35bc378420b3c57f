import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Button, Card, Form, Input, Table } from 'antd'
import { getIndex } from '../../../server/contract/company.ts'
import { holders } from '../../../server/contract/who.ts'
import { query } from '../../api.ts'

export const Route = createFileRoute('/_desk/home')({
  staticData: { title: '首页', who: holders('1', '2') },
  component: Home,
})
function Home() {
  const q = useQuery(query(getIndex, {}))
  return (
    <Card>
      {q.data?.month}
      <Table />
      <Form>
        <Form.Item name="a">
          <Input />
        </Form.Item>
        <Button />
      </Form>
    </Card>
  )
}
