/** What answers the calls of agencies; news and to-dos, which any administrator reads. */
import * as contract from '../../contract/corp/agency.ts'
import { implement } from '../../runtime/handle.ts'
import { getNewsDetail, getNewsList } from './news.ts'
import { applyJoin, endService, enterCorp, getCorpList, getServiceList, leaveCorp } from './serve.ts'
import { splitSheet, uploadSplit } from './split.ts'
import { getTodoList } from './todos.ts'

export const agencyHandlers = implement(contract, {
  getCorpList,
  applyJoin,
  enterCorp,
  leaveCorp,
  splitSheet,
  uploadSplit,
  getServiceList,
  endService,
  getNewsList,
  getNewsDetail,
  getTodoList,
})
