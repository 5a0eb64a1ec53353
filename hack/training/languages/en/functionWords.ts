import { split } from '../../words.ts';

/** Function words, which dictionaries of nouns, verbs and adjectives lack, and interjections. */
export const functionWords: readonly string[] =
  split(`a an the this that these those i me my mine myself you your yours yourself yourselves he him his himself
  she her hers herself it its itself we us our ours ourselves they them their theirs themselves one ones oneself who whom whose
  which what whatever whoever whichever where when why how whenever wherever however anyone anybody anything anywhere someone
  somebody something somewhere everyone everybody everything everywhere nobody nothing nowhere none other others another such same
  each every either neither both all any some few fewer many much more most less least several enough no not nor and or but so
  yet for if unless until till while whereas although though because since as than whether after before about above across
  against along among around at behind below beneath beside besides between beyond by despite down during except from in inside
  into like near of off on onto out outside over past per through throughout to toward towards under underneath up upon via with
  within without am is are was were be been being have has had having do does did done doing can could may might must shall
  should will would ought need dare used cannot let lets there here then now thus hence ever never always often just only even
  also too very quite rather almost already still again once twice maybe perhaps please thanks thank yes yeah yep nope ok okay hi
  hey hello bye goodbye oh ah wow oops ugh hmm lol omg btw asap fyi etc eg ie vs aka dear sorry sure well okay cheers regards
  fax tel mob mail email job attn don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain ll ve re`);

/** Irregular forms. */
export const irregularForms: readonly string[] =
  split(`ate beaten became began begun bent bet bitten bled blew blown bore born bought bound bred broke broken brought
  built burnt came caught chose chosen clung crept cut dealt dove drank drawn drew driven drove drunk dug eaten fallen fed fell
  felt fled flew flown forbade forgave forgot forgotten fought found froze frozen gave given gone got gotten grew ground grown
  heard held hid hidden hit hung hurt kept knelt knew known laid lain lay led left lent lit lost made meant met mistaken paid
  proven put quit ran rang read ridden risen rode rose rung said sang sank sat saw seen sent set shaken shone shook shot shown
  shrank shut slept slid sold sought spent split spoke spoken sprang spread spun stole stolen stood stuck struck stung sung
  sunk swam swept swore sworn swum swung taken taught thought threw thrown told took tore torn understood went wept withdrew
  woke woken won wore worn wound wove woven wrote written children feet geese halves knives leaves lives loaves men mice people
  selves shelves teeth thieves wives wolves women better best worse worst further furthest criteria phenomena analyses`);
