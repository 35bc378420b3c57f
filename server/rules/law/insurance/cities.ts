/** Schemes that were published whole, to begin with: a company keeps its own beside them. Cities of which a figure is missing are left out (§11). */
import cities from '../tables/cities.json' with { type: 'json' }
import { type InsuranceScheme, readSchemes } from './scheme.ts'

export const publishedSchemes: readonly InsuranceScheme[] = readSchemes(cities, 'cities')
export const getCitySchemes = (city: string): InsuranceScheme[] => publishedSchemes.filter((one) => one.city === city)
