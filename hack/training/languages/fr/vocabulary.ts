import type { Vocabulary } from '../../language.ts';
import { split } from '../../words.ts';

/** Everyday words, written from general knowledge. */
export const frenchVocabulary: Vocabulary = {
  nouns:
    split(`farine sucre beurre œuf lait sel poivre oignon ail pomme riz soupe sauce gâteau pâte levure crème fromage jambon poulet viande
      légume concombre tomate carotte haricot pois champignon noix miel moutarde vinaigre huile eau jus bière casserole poêle four cuillère
      fourchette couteau assiette tasse bol frigo lave-linge balai seau lampe canapé fauteuil étagère armoire tapis rideau coussin couverture
      lit réveil miroir douche baignoire serviette savon brosse pantalon chemise veste manteau bonnet chaussure chaussette jupe ceinture
      lunettes fièvre toux rhume vertige nausée tête dos genou épaule ventre poumon foie rein peau dent cachet pommade bandage ordonnance
      vaccin cabinet infirmier rendez-vous examen tension allergie grossesse orage vent brouillard gel chaleur nuage pluie neige grêle
      température pelouse haie buisson racine fleur graine engrais pelle clôture chat chien cheval vache chèvre oiseau canard abeille école
      classe cahier crayon craie tableau note devoir vacances sortie valise sac tente billet quai retard déviation bouchon feu carrefour
      permis atelier pneu frein essence loyer caution bailleur locataire charge courant chauffage facture rappel virement compte intérêt prêt
      impôt salaire contrat candidature entretien recours décision demandeur dommage rapport témoin jugement plainte accord délai équipe
      entraîneur match défaite fichier dossier écran touche souris utilisateur serveur réseau lien page bouton fenêtre menu option
      valeur liste chaîne nombre mot ligne colonne champ type nom clé paquet erreur réunion budget question proposition enfant homme femme fils
      fille mère père grand-mère frère sœur ami voisin patron
      bois forêt mont val vallée mer lac île côte plage sable pierre roche grotte rive rivière source cascade renard loup cerf lièvre hérisson
      souris moineau aigle coq poule oie cygne agneau mouton taureau bœuf mouche araignée ver grenouille serpent cuisinier tailleur forgeron
      meunier berger chasseur pêcheur peintre jardinier juge roi comte chevalier hiver été automne printemps chou navet lentille poire prune
      cerise raisin feuille branche tronc écorce clou marteau scie parents oncle tante invité couleur terre ciel champ récolte blé orge avoine
      église château tour porte mur marché guerre paix épée bouclier couronne royaume peuple droit devoir cour escalier cave toit ville village
      charbon cuivre plomb acide cristal gaz vapeur feu ombre lumière poids force onde rayon`),
  adjectives:
    split(`vieux nouveau grand petit bon mauvais beau laid chaud froid tiède mouillé sec sucré acide amer salé piquant frais fatigué malade
      sain rapide lent bruyant clair sombre lourd léger cher ouvert fermé propre sale plein vide mou dur long court large étroit épais mince
      haut bas proche lointain juste faux facile difficile possible important sûr dangereux aimable calme drôle triste heureux rouge bleu vert
      jaune blanc noir gris rond libre distant interne externe valide actif inconnu manquant`),
  verbs:
    split(`cuisiner couper mélanger éplucher laver nettoyer repasser sécher acheter payer commander livrer envoyer chercher trouver utiliser
      fermer pousser tirer poser accrocher parler demander expliquer montrer pratiquer jouer chanter danser pleurer rêver habiter louer
      travailler gagner compter mesurer calculer planifier espérer penser écouter regarder voyager réserver garer réparer planter soigner
      traiter tousser effacer garder copier déplacer activer échouer commencer terminer monter sauter ignorer consulter imprimer sélectionner
      porter arriver rentrer laisser dormir finir remplir choisir réussir vendre attendre répondre perdre entendre`),
  functionWords:
    split(`le la les un une des du de et ou mais car parce que si comme quand où ne pas ni je tu il elle nous vous ils elles me te se lui leur y en mon
      ton son ma ta sa mes tes ses notre votre leurs est sont était étaient sera seront a ont avait fut peut peuvent doit doivent veut veux fait
      font dans à au aux avec sans par pour sur sous entre depuis jusque vers selon contre pendant avant après chez aujourd'hui hier demain
      maintenant puis ensuite toujours jamais déjà encore seulement aussi très plus moins ici là qui quoi comment pourquoi merci oui non tout
      tous toute rien ce cet cette ces celui celle ceux celles autre même chaque quel quelle dont lequel laquelle afin ainsi donc lors`),
  conjugations: [
    [/er$/, 'e es ons ez ent é ée és ées ais ait aient ant era eront erait a èrent'],
    [/ir$/, 'is it issons issez issent i ie is ies issait issant ira iront irait'],
    [/re$/, 's ons ez ent u ue us ues ait aient ant ra ront rait'],
  ],
  endings: [[/$/, 's e es x']],
};
