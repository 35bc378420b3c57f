/** Income tax: dated tables and the rules that stand on them. */
export { type Bonus, bonusApart } from './rules/bonus.ts'
export { cumulativeTax, type Employment, type Month, monthsCounted, type Step, withhold } from './rules/withholding.ts'
